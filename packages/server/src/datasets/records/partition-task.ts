import { unpackRecords } from '../../http/body/records.ts';
import { unsliced } from '../../kernel/lib/slices.ts';
import type { ThreadTask } from '../../kernel/lib/thread-pool.ts';
import type { PartitionInput, PartitionResult } from './partition-in-thread.ts';
import { partitionRecords } from './partition-records.ts';

const partition: ThreadTask<PartitionInput, PartitionResult> = async ({ rules, packed }) => {
  const { kind, schema } = rules;
  const { valid, failed } = await partitionRecords(kind, schema, unpackRecords(packed), unsliced, rules);
  const bytes = valid.reduce((sum, { row }) => sum + Buffer.byteLength(row.json), 0);
  const rows = Buffer.from(new ArrayBuffer(bytes));
  let end = 0;
  const sent = valid.map((record) => {
    end += rows.write(record.row.json.toString(), end);
    return { ...record, row: { ...record.row, json: '' }, end };
  });
  return { result: { valid: sent, failed, rows, packed }, transfer: [rows.buffer, packed.bytes.buffer] };
};
export default partition;
