import { beforeEach, expect, test } from 'vitest';
import { ReplicationLag } from '../../src/kernel/postgres/replication.ts';

const primaryAt = (wal: number) => ({ server: 1, isStandby: false, wal });
const replicaAt = (wal: number, server = 2) => ({ server, isStandby: true, wal });

let lag: ReplicationLag;

/** The replica has replayed what the primary had at 0 ms, and the primary is ahead since. */
beforeEach(() => {
  lag = new ReplicationLag();
  lag.notePrimary(primaryAt(100), 0);
  lag.noteReplica(replicaAt(100), 0);
  lag.notePrimary(primaryAt(200), 1000);
  lag.noteReplica(replicaAt(150), 1000);
});

test('the lag is the age of the newest position of the primary that the replica has replayed', () => {
  expect(lag.at(1000)).toBe(1000);
  lag.noteReplica(replicaAt(200), 1500);
  expect(lag.at(1500)).toBe(500);
});

test('the lag of another replica does not count what the previous one had replayed', () => {
  lag.noteReplica(replicaAt(50, 3), 1500);
  expect(lag.at(1500)).toBe(Number.POSITIVE_INFINITY);
  lag.noteReplica(replicaAt(200, 3), 2000);
  expect(lag.at(2000)).toBe(1000);
});

test('a replica that was set back does not count as far as it was before', () => {
  lag.noteReplica(replicaAt(50), 1500);
  expect(lag.at(1500)).toBe(Number.POSITIVE_INFINITY);
});

test('a read address that leads to the primary has no lag, which grows when it does not answer any more', () => {
  lag.noteReplica(primaryAt(200), 1500);
  expect(lag.at(1500)).toBe(0);
  lag.notePrimary(primaryAt(300), 5000);
  expect(lag.at(5000)).toBe(3500);
});

test('a standby that follows the primary at the read address has its own lag', () => {
  lag.noteReplica(primaryAt(200), 1500);
  lag.notePrimary(primaryAt(300), 2000);
  lag.noteReplica(replicaAt(250), 2000);
  expect(lag.at(2000)).toBe(1000);
});

test('a promoted standby counts as soon as the address of the primary leads to it', () => {
  const promoted = { server: 2, isStandby: false, wal: 210 };
  lag.noteReplica(promoted, 1500);
  expect(lag.at(1500)).toBe(Number.POSITIVE_INFINITY);
  lag.notePrimary(promoted, 2000);
  lag.noteReplica(promoted, 2000);
  expect(lag.at(2000)).toBe(0);
});
