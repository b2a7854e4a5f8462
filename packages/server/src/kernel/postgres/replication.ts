import { only } from './statement.ts';

/** Where a server is in the history that a primary and its standbys share. */
export interface ServerPosition {
  /** Start time of the PostgreSQL server, which tells servers apart. */
  readonly server: number;
  readonly isStandby: boolean;
  /** Bytes of WAL: flushed on a primary, replayed on a standby. */
  readonly wal: number;
}

/**
 * Needs no privileges. Every acknowledged commit is flushed. pg_current_wal_insert_lsn would be ahead of what a standby can replay: after
 * the last record of a page it is behind the header of the next page.
 */
export const readServerPosition = only<[], ServerPosition>(
  'read_server_position',
  `SELECT extract(epoch FROM pg_postmaster_start_time())::float8 AS server, pg_is_in_recovery() AS "isStandby",
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END - '0/0')::float8 AS wal`,
);

/** Samples of the primary that a standby has not reached yet: four minutes' worth. A lag beyond that is reported as larger than it is. */
const maxSamples = 1200;

/**
 * How far a replica is behind its primary, in time: the age of the newest known position of the primary that the replica has
 * replayed. So an idle primary does not count as lag, no clocks of two machines are compared, and it is never too small.
 */
export class ReplicationLag {
  #primary: ServerPosition | undefined;
  #samples: { readonly atMs: number; readonly wal: number }[] = [];
  #reachedAtMs = Number.NEGATIVE_INFINITY;
  #replica: ServerPosition | undefined;
  #replayed = Number.NEGATIVE_INFINITY;
  #hasDiverged = false;

  /** The position of the primary, and a time before it was asked for it. */
  notePrimary(primary: ServerPosition, atMs: number): void {
    // Another primary may have started from an earlier position.
    if (primary.server !== this.#primary?.server) this.#samples = [];
    this.#primary = primary;
    // No replica is ahead of its own primary.
    this.#hasDiverged = this.#replayed > primary.wal;
    this.#samples.push({ atMs, wal: primary.wal });
    if (this.#samples.length > maxSamples) this.#samples.shift();
  }

  /** What the read address leads to, and a time before it was asked. */
  noteReplica(replica: ServerPosition, atMs: number): void {
    const { server, isStandby, wal } = replica;
    const before = this.#replica;
    this.#replica = replica;
    // Another server, or one that was set back, may lack what the earlier one had replayed.
    if (server !== before?.server || wal < before.wal) this.#reachedAtMs = Number.NEGATIVE_INFINITY;
    if (server === this.#primary?.server) {
      this.#replayed = Number.NEGATIVE_INFINITY;
      this.#hasDiverged = false;
      this.#reachedAtMs = atMs;
      return;
    }
    // Another server that accepts writes has its own history.
    this.#replayed = isStandby ? wal : Number.POSITIVE_INFINITY;
    if (!isStandby) return;
    const reached = this.#samples.findLastIndex((sample) => sample.wal <= wal);
    if (reached < 0) return;
    this.#reachedAtMs = this.#samples[reached]?.atMs ?? this.#reachedAtMs;
    this.#samples.splice(0, reached);
  }

  /** In milliseconds. Infinite if it is not known, or if the replica does not follow this primary. */
  at(nowMs: number): number {
    if (this.#hasDiverged || this.#replayed === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    return nowMs - this.#reachedAtMs;
  }
}
