import { limits } from '@tastegraph/contract';
import { upsertRecords } from '../../datasets/records/upsert-records.ts';
import type { Context } from '../../http/context.ts';
import { type MappedMessages, type MessageFailure, mapMessages } from './map-messages.ts';

export interface WrittenMessages {
  readonly written: number;
  readonly ignored: Readonly<Record<string, number>>;
  readonly failures: readonly MessageFailure[];
}

/** Writes messages of Segment's clients to the datasets of the write key. A repetition changes nothing. */
export async function writeMessages(
  ctx: Context,
  messages: readonly unknown[],
  sentAt: unknown,
  receivedAtMs: number = Date.now(),
): Promise<WrittenMessages> {
  const { writeScope } = ctx;
  if (!writeScope) throw new Error('the caller has no write key');
  const { eventDatasetId, userDatasetId } = writeScope;
  const mapped = mapMessages(messages, { receivedAtMs, sentAt, hasUsers: userDatasetId !== null });
  const { events, users, failed, ignored } = mapped;
  const failures = [...failed];
  let written = 0;
  const write = async (records: MappedMessages['events'], upsert: Upsert) => {
    for (let start = 0; start < records.length; start += limits.recordsPerCall) {
      const part = records.slice(start, start + limits.recordsPerCall);
      const outcome = await upsert(part.map(({ record }) => record));
      written += outcome.succeed_ids.length;
      for (const failure of outcome.failures)
        failures.push({ ...failure, index: part[failure.index]?.index ?? 0 });
    }
  };
  await write(events, (records) => upsertRecords(ctx, 'event', eventDatasetId, records));
  if (userDatasetId !== null)
    await write(users, (records) => upsertRecords(ctx, 'user', userDatasetId, records, 'MERGE'));
  return { written, ignored: Object.fromEntries(ignored), failures };
}

type Upsert = (records: readonly unknown[]) => ReturnType<typeof upsertRecords>;
