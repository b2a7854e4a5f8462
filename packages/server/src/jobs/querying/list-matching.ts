import { setImmediate } from 'node:timers/promises';
import { listUsers, textAt, type Usage } from '@tastegraph/algorithms';
import type { Analysing } from '../analysis/analyse.ts';
import { writeLines } from '../analysis/ndjson.ts';
import { rounded } from '../analysis/rounded.ts';
import { numberOfValue } from './number-of-value.ts';
import type { UserListQueries } from './protocol.ts';

/** For each query a line with its conditions and how many users match, then a line for each of them. Answers the job's message. */
export async function listMatching(
  usage: Usage,
  queries: UserListQueries,
  { snapshot, report, write }: Analysing,
): Promise<string | null> {
  const { values, userIds, events } = snapshot;
  // All of them before any is answered: what cannot be asked is said at once.
  const asked = queries.map(({ conditions }) =>
    conditions.map(({ attribute, value, lower_bound = 0, upper_bound = 1 }) => ({
      shown: { attribute, value, lower_bound, upper_bound },
      condition: { value: numberOfValue(values, attribute, value), lower: lower_bound, upper: upper_bound },
    })),
  );
  const empty: number[] = [];
  // For all queries, and outside of the heap: the count stands before the users. What is not written to takes no memory.
  const width = Math.max(...asked.map((conditions) => conditions.length));
  const matched = new Uint32Array(events.users);
  const usages = new Float64Array(events.users * width);

  async function* lines(): AsyncGenerator<object> {
    for (const [query, conditions] of asked.entries()) {
      // Between queries a thread that was told to stop gets to hear of it.
      await setImmediate();
      report('answering', query / asked.length, `query ${query + 1} of ${asked.length}`);
      const wanted = conditions.map(({ condition }) => condition);
      let user_count = 0;
      for (const { user, usages: own } of listUsers(usage, wanted)) {
        matched[user_count] = user;
        usages.set(own, user_count++ * width);
      }
      if (user_count === 0) empty.push(query);
      yield { query, conditions: conditions.map(({ shown }) => shown), user_count };
      for (let place = 0; place < user_count; place++) {
        const own = usages.subarray(place * width, place * width + wanted.length);
        // Bounds were compared with what they are before.
        yield { user_id: textAt(userIds, matched[place] ?? 0), usage: Array.from(own, rounded) };
      }
    }
  }
  await write(writeLines(lines()));
  return messageOf(empty, asked.length);
}

function messageOf(empty: readonly number[], queries: number): string | null {
  if (empty.length === 0) return null;
  if (queries === 1) return 'No user matches the query.';
  return `No user matches ${empty.length === 1 ? 'query' : 'queries'} ${empty.join(', ')} (of 0 to ${queries - 1}).`;
}
