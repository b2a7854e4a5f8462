import { expect, test } from 'vitest';
import type { DatasetLocation } from '../../src/datasets/rows/datasets.ts';
import type { Database, Transaction } from '../../src/kernel/postgres/pool.ts';
import { Trends } from '../../src/trends/trends.ts';

const project = (account_id: string, id: string) => ({
  account_id,
  events: { id, key: 1, partition: 1, table: 'events_p01' } as DatasetLocation,
});

test('an account whose counts are slow does not delay the counts of another', async () => {
  const counted: unknown[] = [];
  let release: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  const tx: Pick<Transaction, 'rows'> = {
    rows: async (statement, values) => {
      if (!statement.name.startsWith('count_events')) return [];
      const id = String(values.at(-1));
      counted.push(id);
      if (id.startsWith('slow')) await slow;
      return [];
    },
  };
  const db: Pick<Database, 'transaction'> = { transaction: (work) => work(tx as Transaction) };
  const trends = new Trends(db as Database, 1e6);
  const waiting = [1, 2, 3].map((n) => trends.get(project('one', `slow${n}`), 60_000));
  await trends.get(project('other', 'fast'), 2000);
  expect(counted).toEqual(['slow1', 'fast']);
  release();
  await Promise.all(waiting);
  expect(counted).toHaveLength(4);
});
