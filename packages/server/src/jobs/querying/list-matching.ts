import { listUsers, textAt, type Usage, type UsageCondition } from '@tastegraph/algorithms';
import type { Analysing } from '../analysis/analyse.ts';
import { writeLines } from '../analysis/ndjson.ts';
import { numberOfValue } from './number-of-value.ts';
import type { UserListQueries } from './protocol.ts';

/** Finer than anybody asks for; bounds are compared with what it is before. */
const digits = 1e6;
const rounded = (usage: number) => Math.round(usage * digits) / digits;

/** For each query a line with its conditions and how many users match, then a line for each of them. Answers the job's message. */
export async function listMatching(
  usage: Usage,
  queries: UserListQueries,
  { snapshot, report, write }: Analysing,
): Promise<string | null> {
  const { values, userIds } = snapshot;
  // All of them before any is answered: what cannot be asked is said at once.
  const asked = queries.map(({ conditions }) =>
    conditions.map(({ attribute, value, lower_bound = 0, upper_bound = 1 }) => ({
      shown: { attribute, value, lower_bound, upper_bound },
      condition: { value: numberOfValue(values, attribute, value), lower: lower_bound, upper: upper_bound },
    })),
  );
  const empty: number[] = [];

  function* lines(): Generator<object> {
    for (const [query, conditions] of asked.entries()) {
      report('answering', query / asked.length, `query ${query + 1} of ${asked.length}`);
      const wanted = conditions.map(({ condition }) => condition);
      // Asked twice: the count stands before the users, and to keep them would take memory for everybody.
      const user_count = countUsers(usage, wanted);
      if (user_count === 0) empty.push(query);
      yield { query, conditions: conditions.map(({ shown }) => shown), user_count };
      for (const { user, usages } of listUsers(usage, wanted))
        yield { user_id: textAt(userIds, user), usage: usages.map(rounded) };
    }
  }
  await write(writeLines(lines()));
  return messageOf(empty, asked.length);
}

function countUsers(usage: Usage, conditions: readonly UsageCondition[]): number {
  const users = listUsers(usage, conditions);
  let count = 0;
  while (!users.next().done) count++;
  return count;
}

function messageOf(empty: readonly number[], queries: number): string | null {
  if (empty.length === 0) return null;
  if (queries === 1) return 'No user matches the query.';
  return `No user matches ${empty.length === 1 ? 'query' : 'queries'} ${empty.join(', ')} (of 0 to ${queries - 1}).`;
}
