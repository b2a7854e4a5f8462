import { runThreadWork, type ThreadContext } from '../jobs/engine/thread-work.ts';
import { writeUnpublished } from '../jobs/engine/write-unpublished.ts';
import type { Encoder } from '../kernel/files/table.ts';
import { inOrder } from '../kernel/lib/in-order.ts';
import { openObjectStore } from '../kernel/objects/open.ts';
import { openDatabase } from '../kernel/postgres/pool.ts';
import { openAnswering } from './answer-users.ts';
import { formats } from './formats.ts';
import { listUsers, sortUsers } from './list-users.ts';
import type { RecommendingTask, UserAnswer } from './protocol.ts';
import { insertJobPart } from './rows.ts';

/** Enough to keep the thread busy while other connections read, and a small part of what PostgreSQL allows. */
const connections = 4;
/** Two full batches of the statements that calls share: while one is read, the other is answered. */
const concurrency = 32;

/** A later part has at least this share of all users so far, so that a billion users fit into a few hundred files. */
const partShare = 0.02;
/** Answers encoded at once. */
const chunkUsers = 50;

/** The thread that answers the users of one job, from the first one that no earlier attempt has written. */
async function run(task: RecommendingTask, { signal, report }: ThreadContext): Promise<null> {
  const { attempt, project, request, written, expectedUsers } = task;
  const { extension, createEncoder } = formats[request.format];
  const shape = { attributes: request.attributes ?? [], attributeSchema: task.attributeSchema };
  const db = openDatabase({ url: task.databaseUrl, poolSize: connections, onIdleError: () => undefined });
  try {
    await using store = await openObjectStore(task.objects);
    report('reading', 0, 'the models');
    const answer = await openAnswering({ db, connections, store }, task);
    const users = request.user_ids
      ? sortUsers(request.user_ids, written.lastUserId)
      : listUsers(db, project, written.lastUserId);
    await writeParts(inOrder(users, concurrency, answer), {
      written,
      fileUsers: task.fileUsers,
      createEncoder: () => createEncoder(shape),
      onUsers: (done) => {
        const total = Math.max(done, expectedUsers);
        const message = `${done.toLocaleString('en')} of about ${total.toLocaleString('en')} users`;
        report('recommending', done / total, message);
      },
      put: async (part, source) => {
        const object_key = `${task.folder}/part-${String(part).padStart(5, '0')}.${extension}`;
        const put = () => store.put(object_key, source, { signal });
        return { object_key, ...(await writeUnpublished(db, [object_key], attempt, put)).written };
      },
      onStored: (part, stored, { users: count, lastUserId }) =>
        insertJobPart(db, attempt, { part, ...stored, users: count, last_user_id: lastUserId }),
    });
    return null;
  } finally {
    await db.close();
  }
}

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
async function writeParts<Stored>(
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

await runThreadWork(run);
