import { setImmediate } from 'node:timers/promises';
import { type AffinityCondition, type AffinityReader, listUsers, textAt } from '@tastegraph/algorithms';
import { roundShare, writeLines } from '../../kernel/files/ndjson.ts';
import { type Table, textOf } from '../../kernel/files/table.ts';
import { writeTable } from '../../kernel/files/write-table.ts';
import type { AnalysisContext } from '../analyse.ts';
import type { UserLists } from '../protocol.ts';
import { describeUnknown, numbersOfValue } from './numbers-of-value.ts';

/**
 * Writes, for each query, a line with its conditions and the number of matching users, then one line per user; then the
 * table, if there is one. Returns the job's message.
 */
export async function listMatching(
  affinity: AffinityReader,
  { queries, table_format }: UserLists,
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
      const found = numbersOfValue(values, attribute, value);
      if ('numbers' in found) affinityConditions.push({ values: found.numbers, lower, upper });
      else message ??= found.message;
    }
    return { conditions, affinityConditions, message };
  });
  const empty = new Set<number>();
  // Buffered, since the count comes before the users. Shared by all queries, and outside the heap; pages that are never
  // written take no memory.
  const width = Math.max(...resolved.map(({ conditions }) => conditions.length));
  const matched = new Uint32Array(events.users);
  const affinities = new Float64Array(events.users * width);

  /** Answers the queries again for each file: as text, a list may not fit into memory. */
  async function* answers(start: number, share: number): AsyncGenerator<Answer> {
    for (const [query, { conditions, affinityConditions, message }] of resolved.entries()) {
      // Lets the thread receive a stop message between queries.
      await setImmediate();
      const fraction = start + (share * query) / resolved.length;
      report('answering', fraction, `query ${query + 1} of ${resolved.length}`);
      let user_count = 0;
      if (message !== undefined) {
        // No item had the value, so no user matches: the query's line has a message.
        yield { head: { query, conditions, user_count, message }, users: [] };
        continue;
      }
      for (const { user, affinities: ownAffinities } of listUsers(affinity, affinityConditions)) {
        matched[user_count] = user;
        affinities.set(ownAffinities, user_count++ * width);
      }
      if (user_count === 0) empty.add(query);
      yield { head: { query, conditions, user_count }, users: matchedUsers(user_count, conditions.length) };
    }
  }
  function* matchedUsers(count: number, conditions: number): Generator<MatchingUser> {
    for (let index = 0; index < count; index++) {
      const own = affinities.subarray(index * width, index * width + conditions);
      // The bounds were compared with unrounded values.
      yield { user_id: textAt(userIds, matched[index] ?? 0), usage: Array.from(own, roundShare) };
    }
  }

  const share = table_format === undefined ? 1 : 0.5;
  await write(writeLines(linesOf(answers(0, share))));
  if (table_format !== undefined)
    await write(writeTable(table_format, usersTable, rowsOf(answers(share, share))));
  const unknown = describeUnknown(resolved.map(({ message }) => message));
  const parts = [unknown, messageOf([...empty], resolved.length)].filter((part) => typeof part === 'string');
  return parts.join(' ') || null;
}

function messageOf(empty: readonly number[], queries: number): string | null {
  if (empty.length === 0) return null;
  if (queries === 1) return 'No user matches the query.';
  return `No user matches ${empty.length === 1 ? 'query' : 'queries'} ${empty.join(', ')} (numbered 0 to ${queries - 1}).`;
}

type Condition = UserLists['queries'][number]['conditions'][number];

interface MatchingUser {
  readonly user_id: string;
  /** By condition. */
  readonly usage: readonly number[];
}

/** The answer to one query. */
interface Answer {
  readonly head: {
    readonly query: number;
    readonly conditions: readonly Condition[];
    readonly user_count: number;
    readonly message?: string;
  };
  readonly users: Iterable<MatchingUser>;
}

/** The lines of the result. */
async function* linesOf(answers: AsyncIterable<Answer>): AsyncGenerator<object> {
  for await (const { head, users } of answers) {
    yield head;
    yield* users;
  }
}

interface UserOfQuery extends MatchingUser, Pick<Answer['head'], 'query' | 'conditions'> {}

async function* rowsOf(answers: AsyncIterable<Answer>): AsyncGenerator<UserOfQuery> {
  for await (const { head, users } of answers)
    for (const user of users) yield { query: head.query, conditions: head.conditions, ...user };
}

/** One row per user and condition, so that the columns do not depend on the queries. */
const usersTable: Table<UserOfQuery> = {
  columns: [
    { name: 'query', type: 'integer', isRequired: true },
    { name: 'user_id', type: 'text', isRequired: true },
    { name: 'attribute', type: 'text', isRequired: true },
    { name: 'value', type: 'text', isRequired: true },
    { name: 'usage', type: 'number', isRequired: true },
  ],
  rowsOf: ({ query, user_id, conditions, usage }) =>
    conditions.map(({ attribute, value }, index) => [
      query,
      user_id,
      attribute,
      textOf(value),
      usage[index] ?? null,
    ]),
};
