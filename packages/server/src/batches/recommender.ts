import { runThreadWork, type ThreadContext } from '../jobs/engine/thread-work.ts';
import { writeUnpublished } from '../jobs/engine/write-unpublished.ts';
import { inOrder } from '../kernel/lib/in-order.ts';
import { openObjectStore } from '../kernel/objects/open.ts';
import { openDatabase } from '../kernel/postgres/pool.ts';
import { openAnswering } from './answer-users.ts';
import { formats } from './formats.ts';
import { listUsers, sortUsers } from './list-users.ts';
import type { RecommendingTask } from './protocol.ts';
import { insertJobPart } from './rows/parts.ts';
import { writeParts } from './write-parts.ts';

/** Enough to keep the thread busy while other connections read, and a small part of what PostgreSQL allows. */
const connections = 4;
/** Two full batches of the statements that calls share: while one is read, the other is answered. */
const concurrency = 32;

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

await runThreadWork(run);
