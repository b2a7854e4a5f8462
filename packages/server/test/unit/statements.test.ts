import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Queryable, Statement } from '../../src/kernel/postgres/pool.ts';
import {
  affected,
  count,
  many,
  none,
  one,
  only,
  some,
  statement,
  value,
  values,
} from '../../src/kernel/postgres/statement.ts';
import { loadStatements } from '../load-statements.ts';
import { writtenTables } from './written-tables.ts';

describe('the statements of all modules', () => {
  let statements: readonly Statement[];
  let tables: ReadonlySet<string>;
  beforeAll(async () => {
    statements = await loadStatements();
    const schema = await readFile(new URL('../../schema.sql', import.meta.url), 'utf8');
    tables = new Set(
      Array.from(schema.matchAll(/CREATE TABLE (?:public\.)?(\w+)/g), ([, table = '']) => table),
    );
  }, 60_000);

  test('each has its own name', () => {
    expect(statements.length).toBeGreaterThan(250);
    expect(new Set(statements.map(({ name }) => name)).size).toBe(statements.length);
  });

  test('each that writes names tables of the schema', () => {
    const writing = statements.filter(({ text }) =>
      /\b(INSERT INTO|UPDATE \w+ (\w+ )?SET|DELETE FROM)\b/.test(text),
    );
    expect(writing.length).toBeGreaterThan(100);
    for (const { name, text } of writing) {
      const written = [...writtenTables(text)];
      expect(written, name).not.toEqual([]);
      expect(
        written.filter((table) => !tables.has(table)),
        name,
      ).toEqual([]);
    }
  });

  test('one that only reads or locks writes no table', () => {
    const text = statements.find(({ name }) => name === 'lock_experiment')?.text ?? '';
    expect(text).toContain('FOR UPDATE OF x');
    expect([...writtenTables(text)]).toEqual([]);
  });
});

test('every table that a statement writes is found, in each part of it', () => {
  const text = `WITH a AS (DELETE FROM jobs RETURNING *), b AS (UPDATE ONLY models SET name = 'x')
    INSERT INTO loose_objects SELECT key FROM a ON CONFLICT (key) DO UPDATE SET n = 1 FOR NO KEY UPDATE OF a`;
  expect([...writtenTables(text)]).toEqual(['jobs', 'models', 'loose_objects']);
});

test('a name belongs to one statement', () => {
  statement('taken', 'SELECT 1');
  expect(() => statement('taken', 'SELECT 2')).toThrow('taken');
  expect(() => one('taken', 'SELECT 3')).toThrow('taken');
});

describe('a form', () => {
  const calls: unknown[] = [];
  const answering = (...rows: readonly unknown[]): Queryable => ({
    async rows<Row>({ name }: Statement, parameters: readonly unknown[]): Promise<Row[]> {
      calls.push([name, parameters]);
      return rows as Row[];
    },
  });

  test('passes its arguments as parameters, or what `bind` makes of them', async () => {
    calls.length = 0;
    await none<[a: string, b: number]>('as_they_are', 'SELECT')(answering(), 'x', 2);
    await none<[of: { a: string }]>('bound', 'SELECT', ({ a }) => [a, null])(answering(), { a: 'y' });
    expect(calls).toEqual([
      ['as_they_are', ['x', 2]],
      ['bound', ['y', null]],
    ]);
  });

  test('returns rows, one of them, whether there are any, or how many', async () => {
    const rows = [{ n: 3 }, { n: 4 }];
    const forms: Record<string, (db: Queryable) => Promise<unknown>> = {
      one: one<[], { n: number }>('test_one', ''),
      many: many<[], { n: number }>('test_many', ''),
      some: some<[]>('test_some', ''),
      affected: affected<[]>('test_affected', ''),
      value: value<[], number>('test_value', ''),
      values: values<[], number>('test_values', ''),
      count: count<[]>('test_count', ''),
    };
    const results = async (db: Queryable) => {
      const found = Object.entries(forms).map(async ([name, form]) => [name, await form(db)] as const);
      return Object.fromEntries(await Promise.all(found));
    };
    expect(await results(answering(...rows))).toEqual({
      one: { n: 3 },
      many: rows,
      some: true,
      affected: 2,
      value: 3,
      values: [3, 4],
      count: 3,
    });
    expect(await results(answering())).toEqual({
      one: undefined,
      many: [],
      some: false,
      affected: 0,
      value: undefined,
      values: [],
      count: 0,
    });
    const single = only<[], { n: number }>('test_only', '');
    expect(await single(answering(...rows))).toEqual({ n: 3 });
    await expect(single(answering())).rejects.toThrow('test_only');
  });
});
