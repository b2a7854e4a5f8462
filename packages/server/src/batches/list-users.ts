import { orderTexts } from '../filters/value.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { ServedProject } from '../serving/rows/serving-reads.ts';
import { listActiveUsers, listRecordedUsers } from './rows.ts';

/** A page of users with events takes one index lookup per user: a few milliseconds. */
const pageSize = 1000;

/** The given users after `after`, each once, in byte order. */
export function sortUsers(userIds: readonly string[], after: string): string[] {
  return [...new Set(userIds)].filter((id) => orderTexts(id, after) > 0).toSorted(orderTexts);
}

/** All users after `after`, each once, in byte order: those with a record, and those with events. */
export async function* listUsers(
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
