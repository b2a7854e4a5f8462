import { orderTexts } from '../filters/value.ts';
import { runThreadWork, type ThreadContext } from '../jobs/engine/thread-work.ts';
import { writeUnpublished } from '../jobs/engine/write-unpublished.ts';
import { inOrder } from '../kernel/lib/in-order.ts';
import { openObjectStore } from '../kernel/objects/open.ts';
import { openDatabase, type Queryable } from '../kernel/postgres/pool.ts';
import type { ServedProject } from '../serving/rows/serving-reads.ts';
import { listActiveUsers } from '../serving/rows/user-states.ts';
import { openAnswering } from './answer-users.ts';
import { formats } from './formats.ts';
import type { RecommendingTask, UserAnswer } from './protocol.ts';
import { insertJobPart, listRecordedUsers } from './rows.ts';

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
  const onUsers = (done: number) => {
    const all = Math.max(done, expectedUsers);
    const message = `${done.toLocaleString('en')} of about ${all.toLocaleString('en')} users`;
    report('recommending', done / all, message);
  };
  try {
    await using store = await openObjectStore(task.objects);
    report('reading', 0, 'the models');
    const answer = await openAnswering({ db, connections, store }, task);
    const users = request.user_ids
      ? sortUsers(request.user_ids, written.lastUserId)
      : listUsers(db, project, written.lastUserId);
    // As many parts as they need, one after the other, at least one. Holds a few answers in memory.
    const answers = inOrder(users, concurrency, answer);
    let total = written.users;
    let next = await answers.next();
    for (let part = written.parts + 1; !next.done || part === 1; part++) {
      const maxUsers = Math.max(task.fileUsers, Math.ceil(total * partShare));
      let count = 0;
      let lastUserId = '';
      async function* encodePart(): AsyncGenerator<Uint8Array, void> {
        const encoder = createEncoder(shape);
        while (!next.done && count < maxUsers) {
          const chunk: UserAnswer[] = [];
          for (; !next.done && count < maxUsers && chunk.length < chunkUsers; next = await answers.next()) {
            chunk.push(next.value);
            lastUserId = next.value.user_id;
            count++;
          }
          onUsers(total + count);
          yield encoder.encode(chunk);
        }
        yield encoder.end();
      }
      const object_key = `${task.folder}/part-${String(part).padStart(5, '0')}.${extension}`;
      const put = () => store.put(object_key, encodePart(), { signal });
      const { written: stored } = await writeUnpublished(db, [object_key], attempt, put);
      const row = { part, object_key, ...stored, users: count, last_user_id: lastUserId };
      await insertJobPart(db, attempt, row);
      total += count;
    }
    return null;
  } finally {
    await db.close();
  }
}

/** A page of users with events takes one index lookup per user: a few milliseconds. */
const pageSize = 1000;

/** The given users after `after`, each once, in byte order. */
function sortUsers(userIds: readonly string[], after: string): string[] {
  return [...new Set(userIds)].filter((id) => orderTexts(id, after) > 0).toSorted(orderTexts);
}

/** All users after `after`, each once, in byte order: those with a record, and those with events. */
async function* listUsers(
  db: Queryable,
  { users, events }: ServedProject,
  after: string,
): AsyncGenerator<string, void> {
  const recorded = readPages((last) => listRecordedUsers(db, users, last, pageSize), after);
  const active = readPages((last) => listActiveUsers(db, events, last, pageSize), after);
  let one = await recorded.next();
  let other = await active.next();
  while (!one.done || !other.done) {
    const order = one.done ? 1 : other.done ? -1 : orderTexts(one.value, other.value);
    yield (order <= 0 ? one.value : other.value) as string;
    if (order <= 0) one = await recorded.next();
    if (order >= 0) other = await active.next();
  }
}

async function* readPages(
  readPage: (after: string) => Promise<string[]>,
  after: string,
): AsyncGenerator<string, void> {
  for (let last = after; ; ) {
    const page = await readPage(last);
    yield* page;
    if (page.length < pageSize) return;
    last = page.at(-1) ?? last;
  }
}

await runThreadWork(run);
