import type { DatasetKind, JobData } from '@tastegraph/contract';

type DatasetIds = Pick<JobData<'EXPORT'>, 'user_dataset_id' | 'item_dataset_id' | 'event_dataset_id'>;

export interface NamedDataset {
  readonly kind: DatasetKind;
  readonly id: string;
}

/** The datasets that the request names: their kinds and IDs. */
export function namedDatasets(data: DatasetIds): NamedDataset[] {
  return [
    { kind: 'user' as const, id: data.user_dataset_id },
    { kind: 'item' as const, id: data.item_dataset_id },
    { kind: 'event' as const, id: data.event_dataset_id },
  ].flatMap(({ kind, id }) => (id === undefined ? [] : [{ kind, id }]));
}
