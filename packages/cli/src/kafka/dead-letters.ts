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

/** Keeps rejected records in a topic: key and value as they were, and the reason in the headers. */
export function openDeadLetterTopic(connection: BaseOptions, topic: string): DeadLetters {
  const producer = new Producer({ ...connection, acks: ProduceAcks.ALL });
  return {
    async add(rejected) {
      if (rejected.length === 0) return;
      const messages = rejected.map(({ record, code, message }) => ({
        topic,
        ...(record.key && { key: record.key }),
        value: record.value ?? Buffer.alloc(0),
        headers: new Map(
          Object.entries({
            'tastegraph.topic': record.topic,
            'tastegraph.partition': String(record.partition),
            'tastegraph.offset': String(record.offset),
            'tastegraph.code': code,
            'tastegraph.message': message,
          }).map(([name, value]) => [Buffer.from(name), Buffer.from(value)]),
        ),
      }));
      await producer.send({ messages });
    },
    close: () => producer.close(),
  };
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
