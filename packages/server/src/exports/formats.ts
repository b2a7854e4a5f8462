import type { AttributeKind } from '@tastegraph/contract';
import { eventJson, itemJson, userJson } from '../datasets/records/record-json.ts';
import type { StoredEntity, StoredEvent } from '../datasets/rows/record-reads.ts';
import {
  type Cell,
  type Column,
  createLineEncoder,
  type Encoder,
  fileTypes,
  type Table,
  textOf,
} from '../kernel/files/table.ts';
import { createCsvEncoder, createParquetEncoder } from '../kernel/files/write-table.ts';
import { parseJson } from '../kernel/lib/json.ts';
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

/** A column, and how to get its cell from a record. */
interface RecordColumn extends Column {
  /** Attributes are parsed once per record. */
  readonly valueOf: (record: StoredRecord, attributes: Attributes) => Cell;
}

type Attributes = Readonly<Record<string, unknown>>;

const entityColumn = (name: string): RecordColumn => ({
  name,
  type: 'text',
  isRequired: true,
  valueOf: (record) => (record as StoredEntity).id,
});
const eventColumn = (
  name: Exclude<keyof StoredEvent, 'attributes'>,
  type: Column['type'] = 'text',
  isRequired = true,
): RecordColumn => ({
  name,
  type,
  isRequired,
  valueOf: (record) => (record as StoredEvent)[name],
});

const fieldColumns: Readonly<Record<ExportedDataset['kind'], readonly RecordColumn[]>> = {
  user: [entityColumn('user_id')],
  item: [entityColumn('item_id')],
  event: [
    eventColumn('event_id'),
    eventColumn('user_id'),
    eventColumn('item_id'),
    eventColumn('ts', 'time'),
    eventColumn('event_type'),
    eventColumn('event_value', 'number'),
    eventColumn('recommendation_id', 'text', false),
  ],
};

/** All attributes as JSON, which an import reads back exactly. */
const attributesColumn: RecordColumn = {
  name: 'attributes',
  type: 'text',
  isRequired: false,
  valueOf: (record) => record.attributes,
};

/**
 * The fields, one column per attribute of the schema, and all attributes as JSON. The columns of attributes are for
 * tools that cannot read JSON. An attribute with the name of another column is only in the JSON.
 */
function tableOf({ kind, attribute_schema }: ExportedDataset): Table<StoredRecord> {
  const fields = fieldColumns[kind];
  const taken = new Set([...fields.map(({ name }) => name), attributesColumn.name]);
  const attributes = Object.entries(attribute_schema ?? {})
    .filter(([name]) => !taken.has(name))
    .map(([name, attributeKind]) => attributeColumn(name, attributeKind));
  const columns = [...fields, ...attributes, attributesColumn];
  const needsAttributes = attributes.length > 0;
  return { columns, rowsOf: (record) => [cellsOf(columns, record, needsAttributes)] };
}

function attributeColumn(name: string, kind: AttributeKind): RecordColumn {
  const isNumber = kind === 'NUMERICAL';
  return {
    name,
    type: isNumber ? 'number' : 'text',
    isRequired: false,
    valueOf: (_, attributes) => {
      const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
      if (isNumber) return typeof value === 'number' ? value : null;
      return textOf(value);
    },
  };
}

const none: Attributes = {};

/** The cells of a record. Parses its attributes only if a column needs them. */
function cellsOf(columns: readonly RecordColumn[], record: StoredRecord, needsAttributes: boolean): Cell[] {
  const attributes =
    needsAttributes && record.attributes !== null ? (parseJson(record.attributes) as Attributes) : none;
  return columns.map(({ valueOf }) => valueOf(record, attributes));
}

interface WriteOptions<Stored> {
  /** A file ends with the page that reaches this size. */
  readonly fileBytes: number;
  readonly createEncoder: () => Encoder<StoredRecord>;
  /** Stores one file; files are numbered from 1. */
  readonly put: (number: number, source: AsyncIterable<Uint8Array>) => Promise<Stored>;
  readonly onPage: (records: readonly StoredRecord[]) => void;
}

/** Writes the pages to as many files as they need, at least one, one after the other. Holds one page in memory. */
export async function writeFiles<Stored>(
  pages: AsyncIterator<StoredRecord[], void>,
  { fileBytes, createEncoder, put, onPage }: WriteOptions<Stored>,
): Promise<Stored[]> {
  let page = await pages.next();
  async function* writeFile(): AsyncGenerator<Uint8Array, void> {
    const encoder = createEncoder();
    for (let bytes = 0; !page.done && bytes < fileBytes; page = await pages.next()) {
      onPage(page.value);
      const chunk = encoder.encode(page.value);
      bytes += chunk.length;
      yield chunk;
    }
    yield encoder.end();
  }
  const stored: Stored[] = [];
  do stored.push(await put(stored.length + 1, writeFile()));
  while (!page.done);
  return stored;
}
