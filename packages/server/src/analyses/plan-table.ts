import type { JobData } from '@tastegraph/contract';
import { fileTypes } from '../kernel/files/table.ts';
import type { PlannedFile } from './protocol.ts';

export type TableFormat = NonNullable<JobData<'CLUSTERING'>['table_format']>;

/** The table that a job writes last, if it was asked for one. */
export function planTable(name: string, format: TableFormat | undefined): PlannedFile[] {
  if (format === undefined) return [];
  const { extension, contentType } = fileTypes[format];
  return [
    { object_name: `table.${extension}`, file_name: `${name}.${extension}`, content_type: contentType },
  ];
}
