import { parquetWriteBuffer } from 'hyparquet-writer';
import { batchColumns, type LoggedAnswer } from './columns.ts';

/** Rows are sorted by account, so that a reader of one account can skip the other row groups. */
const groupRows = 2000;

/** A batch of JSON lines as a Parquet file. */
export function encodeBatch(text: string): Uint8Array<ArrayBuffer> {
  const answers = text.split('\n').map((line) => JSON.parse(line) as LoggedAnswer);
  const columnData = batchColumns.map(({ name, type, nullable }) => ({
    name,
    type,
    nullable,
    data: answers.map((answer) => cellOf(answer, name)),
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: groupRows }));
}

function cellOf(answer: LoggedAnswer, name: keyof LoggedAnswer): string | number | bigint | boolean | null {
  if (name === 'item_ids' || name === 'detail') return JSON.stringify(answer[name]);
  if (name === 'ts') return BigInt(answer.ts);
  return answer[name];
}
