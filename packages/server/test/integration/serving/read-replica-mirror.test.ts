import { type PrivatePostgres, type PrivateStandby, startStandby } from '@tastegraph/dev';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAccount } from '../../../src/accounts/create-account.ts';
import { insertDataset } from '../../../src/datasets/rows/datasets.ts';
import { newId } from '../../../src/http/ids.ts';
import { type Database, openDatabase, type Statement } from '../../../src/kernel/postgres/pool.ts';
import { connectTo, startMigratedPostgres } from '../stack/database.ts';
import { perFile } from '../stack/stack.ts';
import { type Items, match, newMirrors, write } from './mirror-fixture.ts';

const cell = perFile(async () => new AsyncDisposableStack());
let primary: PrivatePostgres;
let replica: PrivateStandby;
let onPrimary: Database;
let onReplica: Database;
let dataset: Items;

beforeAll(async () => {
  primary = cell.use(await startMigratedPostgres());
  replica = cell.use(await startStandby(primary, 'replica'));
  const open = ({ url }: PrivatePostgres) => {
    const db = openDatabase({ url, poolSize: 4, acceptsReadOnly: true, onIdleError: () => undefined });
    cell.defer(() => db.close());
    return db;
  };
  onPrimary = open(primary);
  onReplica = open(replica);
}, 60_000);

beforeEach(async () => {
  const { account_id } = await createAccount(onPrimary, 'test', 'default');
  dataset = await insertDataset(onPrimary, account_id, {
    dataset_id: newId('itemDataset'),
    kind: 'item',
    name: 'items',
    num_shards: 1,
    attribute_schema: null,
    retention_days: null,
  });
  await add('a');
  await replayed();
});
afterEach(() => run(onReplica, 'SELECT pg_wal_replay_resume()'));

const run = (db: Database, text: string) => db.rows<{ position: string }>({ name: '', text }, []);
const add = (id: string, db: Pick<Database, 'rows'> = onPrimary) =>
  write(db, dataset, { [id]: { color: 'red' } });

/** Waits until the replica has everything that the primary has. */
async function replayed(): Promise<void> {
  const [at] = await run(onPrimary, 'SELECT pg_current_wal_flush_lsn() AS position');
  const reached = `SELECT pg_last_wal_replay_lsn() >= '${at?.position}' AS position`;
  await expect.poll(() => run(onReplica, reached)).toEqual([{ position: true }]);
}

test('a mirror of a replica gets a change whose transaction was open while later ones committed', async () => {
  const mirrors = newMirrors(onReplica);
  expect(await match(mirrors, dataset)).toEqual(['a']);
  await using early = await connectTo(primary.url);
  await early.query('BEGIN');
  const rows = async <Row>({ text }: Statement, values: readonly unknown[]) =>
    (await early.query(text, [...values])).rows as Row[];
  await add('early', { rows });
  await add('late');
  await replayed();
  expect(await match(mirrors, dataset)).toEqual(['a', 'late']);
  await early.query('COMMIT');
  await replayed();
  expect(await match(mirrors, dataset)).toEqual(['a', 'early', 'late']);
  // The mirror has also synced past it.
  await add('last');
  await replayed();
  expect(await match(mirrors, dataset)).toEqual(['a', 'early', 'last', 'late']);
});

test('a mirror that changes to a replica that is behind, and back, has the items of the server it reads from', async () => {
  let db = onPrimary;
  const mirrors = newMirrors({
    rows: (statement, values) => db.rows(statement, values),
    transaction: (work) => db.transaction(work),
    close: async () => undefined,
  });
  expect(await match(mirrors, dataset)).toEqual(['a']);
  await run(onReplica, 'SELECT pg_wal_replay_pause()');
  await add('b');
  expect(await match(mirrors, dataset)).toEqual(['a', 'b']);
  db = onReplica;
  expect(await match(mirrors, dataset)).toEqual(['a']);
  await run(onReplica, 'SELECT pg_wal_replay_resume()');
  await replayed();
  expect(await match(mirrors, dataset)).toEqual(['a', 'b']);
  await add('c');
  db = onPrimary;
  expect(await match(mirrors, dataset)).toEqual(['a', 'b', 'c']);
});

test('a sync that begins on the primary and reads from a replica that is behind loses no change', async () => {
  let isSplit = false;
  const mirrors = newMirrors({
    rows: (statement, values) => onPrimary.rows(statement, values),
    // Items are read in a transaction, after the list of changes.
    transaction: (work) => (isSplit ? onReplica : onPrimary).transaction(work),
    close: async () => undefined,
  });
  expect(await match(mirrors, dataset)).toEqual(['a']);
  await run(onReplica, 'SELECT pg_wal_replay_pause()');
  await add('b');
  isSplit = true;
  const split = match(mirrors, dataset);
  setTimeout(() => (isSplit = false), 300);
  expect(await split).toEqual(['a', 'b']);
});
