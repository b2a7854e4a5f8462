import type { AttributeKind } from '@tastegraph/contract';
import { one } from '../../kernel/postgres/statement.ts';

export interface SourceDataset {
  readonly dataset_key: number;
  readonly dataset_id: string;
  readonly partition: number;
  readonly attribute_schema: Record<string, AttributeKind> | null;
}

/** Where a training reads from. */
export interface TrainingSource {
  readonly target_event_type: string;
  readonly negative_event_types: readonly string[];
  readonly users: SourceDataset;
  readonly items: SourceDataset;
  readonly events: SourceDataset;
}

const dataset = (alias: string) =>
  `jsonb_build_object('dataset_key', ${alias}.dataset_key, 'dataset_id', ${alias}.dataset_id,
    'partition', ${alias}.partition, 'attribute_schema', ${alias}.attribute_schema)`;

/** By primary keys. Undefined if the project was deleted. */
export const findTrainingSource = one<[projectKey: number], TrainingSource>(
  'find_training_source',
  `SELECT p.target_event_type, p.negative_event_types, ${dataset('u')} AS users, ${dataset('i')} AS items,
      ${dataset('e')} AS events
    FROM projects p
      JOIN datasets u ON u.dataset_key = p.user_dataset_key
      JOIN datasets i ON i.dataset_key = p.item_dataset_key
      JOIN datasets e ON e.dataset_key = p.event_dataset_key
    WHERE p.project_key = $1`,
);
