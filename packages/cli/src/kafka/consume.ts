import { setTimeout as sleep } from 'node:timers/promises';
import { Consumer, GenericError, type MessagesStream } from '@platformatic/kafka';
import type { EventRecord } from '@tastegraph/sdk';
import { abortable } from '../abortable.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import type { Connection } from './connection.ts';
import {
  type DeadLetters,
  logDeadLetters,
  openDeadLetterTopic,
  type RejectedRecord,
} from './dead-letters.ts';
import { createEventReader, type EventPaths, type KafkaRecord, UnreadableRecord } from './read-event.ts';
import { skipExisting } from './skip-existing.ts';
import { writeEvents } from './write-events.ts';

export interface ConsumePlan {
  readonly connection: Connection;
  readonly topics: readonly string[];
  readonly group: string;
  readonly datasetId: string;
  /** Where a group starts in a topic of which it has committed nothing yet. */
  readonly from: 'earliest' | 'latest';
  readonly deadLetters: string | undefined;
  readonly paths: EventPaths;
}

export interface ConsumeCounts {
  written: number;
  rejected: number;
}

/** What one call of the service takes. */
const recordsPerBatch = 1000;
/** The group gives the partitions of a process that was killed to another one after this time. */
const sessionTimeoutMs = 15_000;
const restartPauseMs = 5000;
/** Leaving the group is polite, but the brokers may be gone. */
const closeLimitMs = 5000;
const reportEveryMs = 60_000;

type Stream = MessagesStream<Buffer, Buffer, Buffer, Buffer>;

/**
 * Writes the events of topics until the signal aborts. An offset is committed only after the service has written every
 * event before it, or a dead letter has been stored for it. So nothing is lost; what is read twice is written once.
 */
export async function consume(session: Session, plan: ConsumePlan): Promise<ConsumeCounts> {
  const { output, signal } = session;
  const counts = { written: 0, rejected: 0 };
  const group = { isJoined: false };
  const onJoined = () => {
    if (!group.isJoined) output.info(`Reading ${plan.topics.join(', ')} as group ${plan.group}.`);
    group.isJoined = true;
  };
  for (;;) {
    // Only the first time: what is produced later must not be skipped.
    const from = group.isJoined ? 'earliest' : plan.from;
    const error = await consumeUntilError(session, { ...plan, from }, counts, onJoined).catch(
      (reason: unknown) => reason,
    );
    if (signal.aborted) return counts;
    const reason = kafkaReason(error);
    if (reason === undefined) throw error;
    if (!group.isJoined) throw cannotRead(plan, reason);
    output.info(`Kafka: ${reason} Connecting again in ${restartPauseMs / 1000} s.`);
    await sleep(restartPauseMs, undefined, { signal }).catch(() => undefined);
  }
}

async function consumeUntilError(
  session: Session,
  plan: ConsumePlan,
  counts: ConsumeCounts,
  onJoined: () => void,
): Promise<void> {
  const { output, signal } = session;
  const log = (text: string) => output.info(text);
  const consumer = new Consumer({
    ...plan.connection,
    groupId: plan.group,
    sessionTimeout: sessionTimeoutMs,
    highWaterMark: recordsPerBatch,
  });
  const deadLetters =
    plan.deadLetters === undefined
      ? logDeadLetters(log)
      : openDeadLetterTopic(plan.connection, plan.deadLetters);
  try {
    const topics = [...plan.topics];
    await abortable(
      consumer.metadata({ topics: plan.deadLetters === undefined ? topics : [...topics, plan.deadLetters] }),
      signal,
    );
    if (plan.from === 'latest') await abortable(skipExisting(consumer, topics), signal);
    const options = { topics, autocommit: false, mode: 'committed', fallbackMode: 'earliest' } as const;
    const stream = await abortable(consumer.consume(options), signal);
    onJoined();
    const write = createBatchWriter(session, plan, deadLetters, counts);
    let reportedAt = performance.now();
    for await (const batch of readBatches(stream, signal)) {
      await write(batch);
      await commit(consumer, batch);
      if (performance.now() - reportedAt < reportEveryMs) continue;
      reportedAt = performance.now();
      log(`${counts.written} events written, ${counts.rejected} records rejected.`);
    }
  } finally {
    const closing = Promise.allSettled([consumer.close(true), deadLetters.close()]);
    await Promise.race([closing, sleep(closeLimitMs)]);
  }
}

/** As many records as are there, up to one call's worth: a single event does not wait for others. */
async function* readBatches(stream: Stream, signal: AbortSignal): AsyncGenerator<KafkaRecord[]> {
  const iterator = stream[Symbol.asyncIterator]();
  for (;;) {
    const first = await abortable(iterator.next(), signal);
    if (first.done) return;
    const batch: KafkaRecord[] = [first.value];
    while (batch.length < recordsPerBatch) {
      const next = stream.read() as KafkaRecord | null;
      if (next === null) break;
      batch.push(next);
    }
    yield batch;
  }
}

function createBatchWriter(
  { client, output, signal }: Session,
  { paths, datasetId }: ConsumePlan,
  deadLetters: DeadLetters,
  counts: ConsumeCounts,
): (batch: readonly KafkaRecord[]) => Promise<void> {
  const readEvent = createEventReader(paths);
  return async (batch) => {
    const rejected: RejectedRecord[] = [];
    const records: KafkaRecord[] = [];
    const events: EventRecord[] = [];
    for (const record of batch) {
      const event = readEvent(record);
      if (event === undefined) continue;
      if (event instanceof UnreadableRecord) {
        rejected.push({ record, code: 'RECORD_UNREADABLE', message: event.message });
        continue;
      }
      records.push(record);
      events.push(event);
    }
    const rejections = await writeEvents(client, datasetId, events, {
      signal,
      log: (text) => output.info(text),
    });
    for (const { index, code, message } of rejections) {
      const record = records[index];
      if (record) rejected.push({ record, code, message });
    }
    await deadLetters.add(rejected);
    counts.written += events.length - rejections.length;
    counts.rejected += rejected.length;
  };
}

async function commit(consumer: Consumer, batch: readonly KafkaRecord[]): Promise<void> {
  // Records of a partition are in order: the last one wins.
  const next = new Map(batch.map((record) => [`${record.topic}/${record.partition}`, record]));
  const offsets = [...next.values()].map(({ topic, partition, offset }) => ({
    topic,
    partition,
    offset: offset + 1n,
    // Unknown: the broker then does not compare it.
    leaderEpoch: -1,
  }));
  await consumer.commit({ offsets });
}

/** Undefined for an error that is not Kafka's. */
function kafkaReason(error: unknown): string | undefined {
  if (error === undefined) return 'The stream of records has ended.';
  return error instanceof Error && GenericError.isGenericError(error) ? describe(error) : undefined;
}

function describe(error: Error): string {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
  const detail = inner instanceof Error ? ` (${describe(inner)})` : '';
  return `${error.message}${detail}`;
}

function cannotRead({ connection, topics }: ConsumePlan, reason: string): CliError {
  return new CliError(
    `Cannot read ${topics.join(', ')} from ${connection.bootstrapBrokers.join(', ')}: ${reason}`,
    'Check --brokers, --tls and --sasl, and that the topics exist and the user may read them.',
    exitCodes.unreachable,
    { code: 'KAFKA_UNREACHABLE' },
  );
}
