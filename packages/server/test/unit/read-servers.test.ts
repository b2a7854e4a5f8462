import { beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/kernel/postgres/pool.ts';
import { ReadServers } from '../../src/kernel/postgres/read-servers.ts';

const maxLagMs = 1000;
const tickMs = 200;
const unused: Database = {
  rows: () => Promise.reject(new Error('not used')),
  transaction: () => Promise.reject(new Error('not used')),
  close: async () => undefined,
};

let nowMs: number;
let switches: string[];
let servers: ReadServers;

beforeEach(() => {
  nowMs = 0;
  switches = [];
  servers = new ReadServers({
    probes: { primary: unused, replica: unused },
    maxLagMs,
    onSwitch: (to, reason) => switches.push(`${to}: ${reason}`),
    now: () => nowMs,
  });
});

const primaryAt = (wal: number, server = 1) => ({ server, isStandby: false, wal });
const replicaAt = (wal: number, server = 2) => ({ server, isStandby: true, wal });
type Positions = Parameters<ReadServers['note']>[0];

function tick(positions: Positions, times = 1): void {
  for (let time = 0; time < times; time++) {
    servers.note(positions);
    nowMs += tickMs;
  }
}
const level = (wal: number) => ({ primary: primaryAt(wal), replica: replicaAt(wal) });

test('the replica is read from at once if it has caught up when the process starts', () => {
  tick(level(100));
  expect(servers.current()).toBe('replica');
});

test('an idle primary does not count as lag, however long nothing is written', () => {
  tick(level(100), 1000);
  expect(switches).toEqual(['replica: replica caught up']);
  expect(servers.lagMs()).toBeLessThanOrEqual(tickMs);
});

test('a replica that stands still is left when the primary is ahead for the allowed time', () => {
  tick(level(100));
  for (let wal = 101; wal < 200 && servers.current() === 'replica'; wal++)
    tick({ primary: primaryAt(wal), replica: replicaAt(100) });
  expect(switches).toEqual(['replica: replica caught up', 'primary: replica behind']);
  expect(servers.lagMs()).toBeGreaterThan(maxLagMs);
  expect(servers.lagMs()).toBeLessThanOrEqual(maxLagMs + 2 * tickMs);
});

test('the bound holds between two measurements too, for example while the process cannot measure', () => {
  tick(level(100));
  nowMs += maxLagMs;
  expect(servers.current()).toBe('primary');
});

test('reads return to a replica only after its lag was small for five seconds', () => {
  tick(level(100));
  tick({ primary: primaryAt(300), replica: replicaAt(100) }, 10);
  expect(servers.current()).toBe('primary');
  tick(level(300), 20);
  expect(servers.current()).toBe('primary');
  tick(level(300), 10);
  expect(servers.current()).toBe('replica');
});

describe('without the primary', () => {
  test('the replica is read from at once', () => {
    tick({ primary: undefined, replica: replicaAt(100) });
    expect(servers.current()).toBe('replica');
  });

  test('a replica that was too far behind is read from after five seconds, whatever its lag', () => {
    tick({ primary: primaryAt(300), replica: replicaAt(100) }, 10);
    expect(servers.current()).toBe('primary');
    let lost = 0;
    servers.whenLost('primary', () => lost++);
    tick({ primary: undefined, replica: replicaAt(100) }, 20);
    expect({ current: servers.current(), isUp: servers.isUp('primary'), lost }).toEqual({
      current: 'primary',
      isUp: true,
      lost: 0,
    });
    tick({ primary: undefined, replica: replicaAt(100) }, 10);
    expect(servers.current()).toBe('replica');
    expect(lost).toBeGreaterThan(0);
    tick({ primary: primaryAt(300), replica: replicaAt(100) });
    expect(servers.current()).toBe('primary');
  });

  test('also if the replica misses a probe meanwhile', () => {
    tick({ primary: primaryAt(300), replica: replicaAt(100) }, 10);
    tick({ primary: undefined, replica: undefined }, 2);
    tick({ primary: undefined, replica: replicaAt(100) });
    expect(servers.current()).toBe('primary');
  });

  test('and with another one that the replica follows, reads stay on the replica', () => {
    tick(level(100));
    tick({ primary: undefined, replica: replicaAt(100) }, 100);
    for (let wal = 110; wal < 210; wal += 10)
      tick({ primary: primaryAt(wal, 3), replica: replicaAt(wal - 5) });
    expect(switches).toEqual(['replica: replica caught up']);
  });
});

describe('a server that does not follow the primary is not read from', () => {
  test('if it is ahead of it', () => {
    tick({ primary: primaryAt(100), replica: replicaAt(150) }, 10);
    expect(servers.current()).toBe('primary');
  });

  test('if it accepts writes itself', () => {
    tick({ primary: primaryAt(100), replica: { ...primaryAt(100), server: 2 } }, 10);
    expect(servers.current()).toBe('primary');
  });

  test('unless it is the primary', () => {
    tick({ primary: primaryAt(100), replica: primaryAt(100) }, 2);
    expect(servers.current()).toBe('replica');
  });
});

test('a replica that is gone is left, and its reads in flight are rejected', () => {
  tick(level(100));
  let rejected = 0;
  const forget = servers.whenLost('replica', () => rejected++);
  const withoutReplica = { primary: primaryAt(100), replica: undefined };
  tick(withoutReplica);
  forget();
  tick(withoutReplica);
  expect({ current: servers.current(), rejected }).toEqual({ current: 'primary', rejected: 1 });
});
