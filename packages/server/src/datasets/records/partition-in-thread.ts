import { bodyThreads } from '../../http/body/body-threads.ts';
import { threadBytes } from '../../http/body/parse-body.ts';
import {
  type LargeBodyRecord,
  type PackedRecords,
  packRecords,
  UnparsedRecord,
  unpackRecords,
} from '../../http/body/records.ts';
import type { FailedRecord, PartitionedRecords, Rules, ValidRecord } from './partition-records.ts';

export interface PartitionInput {
  readonly rules: Rules;
  readonly packed: PackedRecords;
}

/** The JSON of all rows, one after the other, is in `rows`, which is moved; that of a valid record ends at `end`. */
export interface PartitionResult {
  readonly valid: readonly (ValidRecord & { readonly end: number })[];
  readonly failed: readonly FailedRecord[];
  readonly rows: Uint8Array<ArrayBuffer>;
  readonly packed: PackedRecords;
}

/** Whether the records come from a body that was parsed in a thread, and are large themselves. */
export function isLargeBatch(records: readonly unknown[]): records is readonly LargeBodyRecord[] {
  let bytes = 0;
  for (const record of records)
    if (record instanceof UnparsedRecord) bytes += UnparsedRecord.jsonOf(record).length;
  return bytes > threadBytes;
}

/** As `partitionRecords`, in a thread. Moves the texts of the records there and back: use the returned records afterwards. */
export async function partitionInThread(
  accountId: string,
  rules: Rules,
  records: readonly LargeBodyRecord[],
): Promise<{ readonly records: readonly unknown[]; readonly partitioned: PartitionedRecords }> {
  const first = records.find((record) => record instanceof UnparsedRecord);
  const buffer = (first && UnparsedRecord.jsonOf(first).buffer) as ArrayBuffer;
  const packed = packRecords(records, new Uint8Array(buffer));
  const { valid, failed, rows, ...after } = await bodyThreads.run<PartitionResult>(
    new URL('./partition-task.ts', import.meta.url),
    { rules, packed } satisfies PartitionInput,
    { key: accountId, transfer: [buffer] },
  );
  const json = Buffer.from(rows.buffer);
  let start = 0;
  const restored = valid.map(({ end, ...record }) => {
    const row = { ...record.row, json: json.subarray(start, end) };
    start = end;
    return { ...record, row };
  });
  return { records: unpackRecords(after.packed), partitioned: { valid: restored, failed: [...failed] } };
}
