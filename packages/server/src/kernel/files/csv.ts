import type { Cell, Encoder, Table } from './table.ts';

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
