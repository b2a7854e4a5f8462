import { setImmediate } from 'node:timers/promises';
import { type AffinityCondition, type AffinityReader, listUsers, textAt } from '@tastegraph/algorithms';
import type { AnalysisContext } from '../analysis/analyse.ts';
import { roundShare, writeLines } from '../analysis/ndjson.ts';
import { describeUnknown, numberOfValue } from './number-of-value.ts';
import type { UserListQueries } from './protocol.ts';

/**
 * Writes, for each query, a line with its conditions and the number of matching users, then one line per user. Returns
 * the job's message.
 */
export async function listMatching(
  affinity: AffinityReader,
  queries: UserListQueries,
  { snapshot, report, write }: AnalysisContext,
): Promise<string | null> {
  const { values, userIds, events } = snapshot;
  const resolved = queries.map((query) => {
    const conditions = query.conditions.map(({ attribute, value, lower_bound = 0, upper_bound = 1 }) => ({
      attribute,
      value,
      lower_bound,
      upper_bound,
    }));
    const affinityConditions: AffinityCondition[] = [];
    let message: string | undefined;
    for (const { attribute, value, lower_bound: lower, upper_bound: upper } of conditions) {
      const found = numberOfValue(values, attribute, value);
      if ('number' in found) affinityConditions.push({ value: found.number, lower, upper });
      else message ??= found.message;
    }
    return { conditions, affinityConditions, message };
  });
  const empty: number[] = [];
  // Buffered, since the count comes before the users. Shared by all queries, and outside the heap; pages that are never
  // written take no memory.
  const width = Math.max(...resolved.map(({ conditions }) => conditions.length));
  const matched = new Uint32Array(events.users);
  const affinities = new Float64Array(events.users * width);

  async function* lines(): AsyncGenerator<object> {
    for (const [query, { conditions, affinityConditions, message }] of resolved.entries()) {
      // Lets the thread receive a stop message between queries.
      await setImmediate();
      report('answering', query / resolved.length, `query ${query + 1} of ${resolved.length}`);
      let user_count = 0;
      if (message !== undefined) {
        // No item had the value, so no user matches: the query's line has a message.
        yield { query, conditions, user_count, message };
        continue;
      }
      for (const { user, affinities: ownAffinities } of listUsers(affinity, affinityConditions)) {
        matched[user_count] = user;
        affinities.set(ownAffinities, user_count++ * width);
      }
      if (user_count === 0) empty.push(query);
      yield { query, conditions, user_count };
      for (let index = 0; index < user_count; index++) {
        const ownAffinities = affinities.subarray(index * width, index * width + affinityConditions.length);
        // The bounds were compared with unrounded values.
        yield { user_id: textAt(userIds, matched[index] ?? 0), usage: Array.from(ownAffinities, roundShare) };
      }
    }
  }
  await write(writeLines(lines()));
  const unknown = describeUnknown(resolved.map(({ message }) => message));
  const parts = [unknown, messageOf(empty, resolved.length)].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : parts.join(' ');
}

function messageOf(empty: readonly number[], queries: number): string | null {
  if (empty.length === 0) return null;
  if (queries === 1) return 'No user matches the query.';
  return `No user matches ${empty.length === 1 ? 'query' : 'queries'} ${empty.join(', ')} (numbered 0 to ${queries - 1}).`;
}
