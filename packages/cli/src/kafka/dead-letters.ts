import { type BaseOptions, ProduceAcks, Producer } from '@platformatic/kafka';
import type { KafkaRecord } from './read-event.ts';

export interface RejectedRecord {
  readonly record: KafkaRecord;
  readonly code: string;
  readonly message: string;
}

/** Where records go that can never be written. `add` returns once they are stored. */
export interface DeadLetters {
  add(rejected: readonly RejectedRecord[]): Promise<void>;
  close(): Promise<void>;
}

/** The client sends the records of a partition as one batch, and brokers refuse a batch above 1 MiB by default. */
const maxChunkBytes = 512 * 1024;
/** A larger record is stored without its value. */
const maxRecordBytes = 900_000;

interface DeadLetter {
  readonly topic: string;
  readonly key?: Buffer;
  readonly value: Buffer;
  readonly headers: Map<Buffer, Buffer>;
}

/** Keeps rejected records in a topic: the key, the value unless it is too large, and the reason in the headers. */
export function openDeadLetterTopic(connection: BaseOptions, topic: string): DeadLetters {
  const producer = new Producer({ ...connection, acks: ProduceAcks.ALL });
  return {
    async add(rejected) {
      for (const messages of chunkDeadLetters(topic, rejected)) await producer.send({ messages });
    },
    close: () => producer.close(),
  };
}

/** In order, in chunks that a broker accepts. */
export function* chunkDeadLetters(
  topic: string,
  rejected: readonly RejectedRecord[],
): Generator<DeadLetter[]> {
  let chunk: DeadLetter[] = [];
  let chunkBytes = 0;
  for (const entry of rejected) {
    const whole = toDeadLetter(topic, entry);
    const letter = sizeOf(whole) > maxRecordBytes ? omitValue(whole) : whole;
    const bytes = sizeOf(letter);
    if (chunk.length > 0 && chunkBytes + bytes > maxChunkBytes) {
      yield chunk;
      chunk = [];
      chunkBytes = 0;
    }
    chunk.push(letter);
    chunkBytes += bytes;
  }
  if (chunk.length > 0) yield chunk;
}

function toDeadLetter(topic: string, { record, code, message }: RejectedRecord): DeadLetter {
  const headers = {
    'tastegraph.topic': record.topic,
    'tastegraph.partition': String(record.partition),
    'tastegraph.offset': String(record.offset),
    'tastegraph.code': code,
    'tastegraph.message': message,
  };
  return {
    topic,
    ...(record.key && { key: record.key }),
    value: record.value ?? Buffer.alloc(0),
    headers: new Map(Object.entries(headers).map(([name, value]) => [Buffer.from(name), Buffer.from(value)])),
  };
}

function omitValue(letter: DeadLetter): DeadLetter {
  const reason = Buffer.from(`too large: ${letter.value.length} bytes`);
  const headers = new Map([...letter.headers, [Buffer.from('tastegraph.value_omitted'), reason]]);
  return { ...letter, value: Buffer.alloc(0), headers };
}

function sizeOf({ key, value, headers }: DeadLetter): number {
  const parts = [...headers].flat();
  return parts.reduce((sum, part) => sum + part.length, (key?.length ?? 0) + value.length);
}

/** Names rejected records, without their contents: a log is no place for personal data. */
export function logDeadLetters(log: (text: string) => void): DeadLetters {
  return {
    add: async (rejected) => {
      for (const { record, code, message } of rejected)
        log(`Rejected ${record.topic}/${record.partition}/${record.offset}: ${code}: ${message}`);
    },
    close: async () => undefined,
  };
}
