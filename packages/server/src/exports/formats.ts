import { eventJson, itemJson, userJson } from '../datasets/records/record-json.ts';
import type { StoredEntity, StoredEvent } from '../datasets/rows/record-reads.ts';
import { createLineEncoder, type Encoder, fileTypes } from '../kernel/files/table.ts';
import { createCsvEncoder, createParquetEncoder } from '../kernel/files/write-table.ts';
import { tableOf } from './columns.ts';
import type { ExportedDataset, ExportFormat } from './protocol.ts';
import type { StoredRecord } from './read-pages.ts';

interface FileFormat {
  readonly extension: string;
  readonly contentType: string;
  readonly createEncoder: (dataset: ExportedDataset) => Encoder<StoredRecord>;
}

export const formats: Readonly<Record<ExportFormat, FileFormat>> = {
  NDJSON: { ...fileTypes.NDJSON, createEncoder: createJsonEncoder },
  CSV: { ...fileTypes.CSV, createEncoder: (dataset) => createCsvEncoder(tableOf(dataset)) },
  PARQUET: { ...fileTypes.PARQUET, createEncoder: (dataset) => createParquetEncoder(tableOf(dataset)) },
};

function createJsonEncoder({ kind }: ExportedDataset): Encoder<StoredRecord> {
  const entityJson = kind === 'user' ? userJson : itemJson;
  return createLineEncoder((record) =>
    kind === 'event' ? eventJson(record as StoredEvent) : entityJson(record as StoredEntity),
  );
}
