import { beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/kernel/postgres/pool.ts';
import { openReadDatabase } from '../../src/kernel/postgres/read-database.ts';
import { type ReadServerName, ReadServers } from '../../src/kernel/postgres/read-servers.ts';
import { SessionError } from '../../src/kernel/postgres/sessions.ts';

type Outcome = 'answers' | 'fails' | 'hangs';

/** What the next reads of each server do, in order; further ones succeed. */
let outcomes: Record<ReadServerName, Outcome[]>;
let asked: ReadServerName[];
let servers: ReadServers;
let nowMs: number;

function open(name: ReadServerName): Database {
  const read = async () => {
    asked.push(name);
    const outcome = outcomes[name].shift() ?? 'answers';
    if (outcome === 'fails') throw new SessionError(`the connection to the ${name} broke`);
    if (outcome === 'hangs') await new Promise(() => undefined);
  };
  return {
    rows: <Row>() => read().then((): Row[] => []),
    transaction: () => Promise.reject(new Error('not used')),
    close: async () => undefined,
  };
}

const primary = { server: 1, isStandby: false, wal: 100 };
const replica = { server: 2, isStandby: true, wal: 100 };

beforeEach(() => {
  outcomes = { primary: [], replica: [] };
  asked = [];
  nowMs = 0;
  const probes = { primary: open('primary'), replica: open('replica') };
  servers = new ReadServers({ probes, maxLagMs: 1000, onSwitch: () => undefined, now: () => nowMs });
  servers.note({ primary, replica });
});

const read = (preferred: ReadServerName) =>
  openReadDatabase({
    servers,
    databases: { primary: open('primary'), replica: open('replica') },
    preferred,
  }).rows({ name: '', text: '' }, []);

test('a read that fails on the replica is repeated on the primary, and the replica stays in use for the others', async () => {
  outcomes.replica = ['hangs', 'fails'];
  let isRejected = false;
  read('replica').catch(() => (isRejected = true));
  await read('replica');
  expect(asked).toEqual(['replica', 'replica', 'primary']);
  expect({ current: servers.current(), isRejected }).toEqual({ current: 'replica', isRejected: false });
});

test('a read that hangs on the replica is repeated when a probe finds that it is gone', async () => {
  outcomes.replica = ['hangs'];
  const hung = read('replica');
  servers.note({ primary, replica: undefined });
  await hung;
  expect(asked).toEqual(['replica', 'primary']);
});

test('without the primary, a read that fails on the replica is repeated there first', async () => {
  servers.note({ primary: undefined, replica });
  outcomes.replica = ['fails'];
  await read('replica');
  expect(asked).toEqual(['replica', 'replica']);
});

test('a read that fails on the primary is repeated there, then on a replica that has caught up', async () => {
  outcomes.primary = ['fails', 'fails'];
  await read('primary');
  expect(asked).toEqual(['primary', 'primary', 'replica']);
});

test('a replica that is too far behind is not read from instead of the primary', async () => {
  nowMs = 2000;
  servers.note({ primary: { ...primary, wal: 200 }, replica });
  outcomes.primary = ['fails', 'fails'];
  await expect(read('primary')).rejects.toThrow(SessionError);
  expect(asked).toEqual(['primary', 'primary']);
});
