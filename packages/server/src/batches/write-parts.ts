import type { Encoder } from '../kernel/files/table.ts';
import type { UserAnswer } from './protocol.ts';

/** A later part has at least this share of all users so far, so that a billion users fit into a few hundred files. */
const partShare = 0.02;
/** Answers encoded at once. */
const chunkUsers = 50;

interface WrittenPart {
  readonly users: number;
  readonly lastUserId: string;
}

interface PartOptions<Stored> {
  /** What earlier attempts have written. */
  readonly written: { readonly parts: number; readonly users: number };
  readonly fileUsers: number;
  readonly createEncoder: () => Encoder<UserAnswer>;
  /** Stores the file of a part; parts are numbered from 1. */
  readonly put: (part: number, source: AsyncIterable<Uint8Array>) => Promise<Stored>;
  /** Called after the part is stored. */
  readonly onStored: (part: number, stored: Stored, written: WrittenPart) => Promise<void>;
  readonly onUsers: (users: number) => void;
}

/** Writes the answers to as many parts as they need, one after the other, at least one. Holds a few answers in memory. */
export async function writeParts<Stored>(
  answers: AsyncIterator<UserAnswer, void>,
  { written, fileUsers, createEncoder, put, onStored, onUsers }: PartOptions<Stored>,
): Promise<void> {
  let total = written.users;
  let next = await answers.next();
  for (let part = written.parts + 1; !next.done || part === 1; part++) {
    const maxUsers = Math.max(fileUsers, Math.ceil(total * partShare));
    let users = 0;
    let lastUserId = '';
    async function* encodePart(): AsyncGenerator<Uint8Array, void> {
      const encoder = createEncoder();
      while (!next.done && users < maxUsers) {
        const chunk: UserAnswer[] = [];
        for (; !next.done && users < maxUsers && chunk.length < chunkUsers; next = await answers.next()) {
          chunk.push(next.value);
          lastUserId = next.value.user_id;
          users++;
        }
        onUsers(total + users);
        yield encoder.encode(chunk);
      }
      yield encoder.end();
    }
    const stored = await put(part, encodePart());
    await onStored(part, stored, { users, lastUserId });
    total += users;
  }
}
