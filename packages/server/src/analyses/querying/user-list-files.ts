import { type Table, textOf } from '../../kernel/files/table.ts';
import type { UserLists } from './protocol.ts';

type Condition = UserLists['queries'][number]['conditions'][number];

export interface MatchingUser {
  readonly user_id: string;
  /** By condition. */
  readonly usage: readonly number[];
}

/** The answer to one query. */
export interface Answer {
  readonly head: {
    readonly query: number;
    readonly conditions: readonly Condition[];
    readonly user_count: number;
    readonly message?: string;
  };
  readonly users: Iterable<MatchingUser>;
}

/** The lines of the result. */
export async function* linesOf(answers: AsyncIterable<Answer>): AsyncGenerator<object> {
  for await (const { head, users } of answers) {
    yield head;
    yield* users;
  }
}

interface UserOfQuery extends MatchingUser, Pick<Answer['head'], 'query' | 'conditions'> {}

export async function* rowsOf(answers: AsyncIterable<Answer>): AsyncGenerator<UserOfQuery> {
  for await (const { head, users } of answers)
    for (const user of users) yield { query: head.query, conditions: head.conditions, ...user };
}

/** One row per user and condition, so that the columns do not depend on the queries. */
export const usersTable: Table<UserOfQuery> = {
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
