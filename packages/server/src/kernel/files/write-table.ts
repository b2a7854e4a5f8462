import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import type { Cell, Column, Encoder, Table } from './table.ts';

const encoders = { CSV: createCsvEncoder, PARQUET: createParquetEncoder } as const;

/** Large enough that a million records do not become a million buffers. */
const recordsPerChunk = 1000;

/** A file with all records, in chunks: they need not fit into memory. */
export async function* writeTable<Record>(
  format: keyof typeof encoders,
  table: Table<Record>,
  records: Iterable<Record> | AsyncIterable<Record>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = encoders[format](table);
  let chunk: Record[] = [];
  for await (const record of records) {
    chunk.push(record);
    if (chunk.length < recordsPerChunk) continue;
    yield encoder.encode(chunk);
    chunk = [];
  }
  yield encoder.encode(chunk);
  yield encoder.end();
}

/** RFC 4180 with a header, in UTF-8. Cells are the exact data: nothing is added for spreadsheets. */
export function createCsvEncoder<Record>({ columns, rowsOf }: Table<Record>): Encoder<Record> {
  const header = lineOf(columns.map(({ name }) => name));
  let isStarted = false;
  const start = () => {
    const text = isStarted ? '' : header;
    isStarted = true;
    return text;
  };
  return {
    encode: (records) =>
      Buffer.from(start() + records.flatMap((record) => rowsOf(record).map(lineOf)).join('')),
    end: () => Buffer.from(start()),
  };
}

const lineOf = (cells: readonly Cell[]) => `${cells.map(cellText).join()}\r\n`;

/** Text that a reader might trim or split is quoted. */
function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  return /^[\w.:-]+$/.test(cell) ? cell : `"${cell.replaceAll('"', '""')}"`;
}

/** Readers handle one row group at a time, and the writer holds one in memory. */
const groupRows = 20_000;
const groupCharacters = 8 * 1024 * 1024;

/** Returns what was written since the last call, and keeps the offset in the file. */
class ChunkWriter extends ByteWriter {
  take(): Uint8Array {
    const bytes = this.getBytes().slice();
    this.index = 0;
    return bytes;
  }
}

const types = { text: 'STRING', number: 'DOUBLE', integer: 'INT32', time: 'TIMESTAMP' } as const;

export function createParquetEncoder<Record>({ columns, rowsOf }: Table<Record>): Encoder<Record> {
  const chunks = new ChunkWriter();
  const schema = schemaFromColumnData({ columnData: columnData(columns, []) });
  const file = new ParquetWriter({ writer: chunks, schema });
  let group: (readonly Cell[])[] = [];
  let characters = 0;
  const writeGroup = () => {
    if (group.length > 0)
      void file.write({ columnData: columnData(columns, group), rowGroupSize: group.length });
    group = [];
    characters = 0;
  };
  const add = (row: readonly Cell[]) => {
    group.push(row);
    for (const cell of row) characters += typeof cell === 'string' ? cell.length : 0;
    if (group.length >= groupRows || characters >= groupCharacters) writeGroup();
  };
  return {
    encode(records) {
      for (const record of records) for (const row of rowsOf(record)) add(row);
      return chunks.take();
    },
    end() {
      writeGroup();
      void file.finish();
      return chunks.take();
    },
  };
}

function columnData(columns: readonly Column[], rows: readonly (readonly Cell[])[]) {
  return columns.map(({ name, type, isRequired }, index) => ({
    name,
    type: types[type],
    nullable: !isRequired,
    offsetIndex: false,
    data: rows.map((row) => {
      const cell = row[index] ?? null;
      return type === 'time' && typeof cell === 'number' ? new Date(cell) : cell;
    }),
  }));
}
