import { type Database, openDatabase } from '../../../src/kernel/postgres/pool.ts';
import { cloneDatabase } from './database.ts';
import { select } from './kinds.ts';

/** A database without processes. */
export async function openOwnDatabase() {
  const { url, drop } = await cloneDatabase();
  const db = openDatabase({ url, poolSize: 2, onIdleError: () => undefined });
  return {
    url,
    db,
    async [Symbol.asyncDispose]() {
      await db.close();
      await drop();
    },
  };
}

/** Keys of five datasets whose records are in the first partition of their table. */
export async function keysInFirstPartition(db: Database, table: 'events' | 'items'): Promise<number[]> {
  const text =
    'SELECT key FROM generate_series(1, 10000) key WHERE satisfies_hash_partition($1::regclass, $2, 0, key) LIMIT 5';
  const partitions = { events: 64, items: 16 }[table];
  return (await select<{ key: number }>(db, text, [table, partitions])).map(({ key }) => key);
}

/** A node of a plan, as EXPLAIN (FORMAT JSON) returns it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Conflict Arbiter Indexes'?: string[];
  readonly Plans?: PlanNode[];
}

/** The node itself and all nodes below it. */
export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
