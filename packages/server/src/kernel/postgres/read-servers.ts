import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './pool.ts';
import { ReplicationLag, readServerPosition, type ServerPosition } from './replication.ts';

export type ReadServerName = 'primary' | 'replica';

/** A probe without an answer after this time means that the server is gone: with the pause before it, this takes a second. */
export const probeMs = 800;
/** How often both servers are asked for their positions; more often if the allowed lag is small. */
const maxPauseMs = 200;
const pausesPerLag = 5;
/** Reads return to a replica whose lag was small for this long: each change of server makes mirrors load everything again. */
const holdMs = 5000;
/** The lag that counts as small, as a share of the allowed lag. */
const smallShare = 0.5;
/**
 * If the replica cannot be used, the primary is gone only after this time without an answer: a single probe that takes too long is no
 * reason to read from a replica that may be hours behind.
 */
const goneMs = 5000;

interface ReadServersOptions {
  /** For the probes alone, so that they never wait for a connection. */
  readonly probes: Readonly<Record<ReadServerName, Database>>;
  /** The replica is not read from while it is further behind, unless the primary is gone. */
  readonly maxLagMs: number;
  readonly onSwitch: (to: ReadServerName, reason: SwitchReason) => void;
  readonly now?: () => number;
}

export type SwitchReason = 'replica caught up' | 'replica behind' | 'replica gone' | 'primary gone';

/** Decides which server is read from: the replica, unless it is too far behind or gone. */
export class ReadServers {
  readonly #options: ReadServersOptions;
  readonly #now: () => number;
  readonly #lag = new ReplicationLag();
  readonly #upSinceMs: Record<ReadServerName, number | undefined> = {
    primary: undefined,
    replica: undefined,
  };
  readonly #onLost: Record<ReadServerName, Set<() => void>> = { primary: new Set(), replica: new Set() };
  #primaryAnsweredAtMs = Number.NEGATIVE_INFINITY;
  #current: ReadServerName = 'primary';
  /** The replica was too far behind, and is read from only because the primary is gone. */
  #isForced = false;
  #isSmall = false;
  #returnAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ReadServersOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Asks both servers until `stopping`. */
  async watch(stopping: AbortSignal): Promise<void> {
    const pauseMs = Math.min(maxPauseMs, this.#options.maxLagMs / pausesPerLag);
    while (!stopping.aborted) {
      await this.probe();
      await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  /** Asks both servers once. Never throws. */
  async probe(): Promise<void> {
    const atMs = this.#now();
    const ask = (name: ReadServerName) =>
      readServerPosition(this.#options.probes[name]).catch(() => undefined);
    const [primary, replica] = await Promise.all([ask('primary'), ask('replica')]);
    this.note({ primary, replica }, atMs);
  }

  /** The positions of both, undefined if there was no answer, and a time before they were asked for. */
  note(
    { primary, replica }: { [name in ReadServerName]: ServerPosition | undefined },
    atMs = this.#now(),
  ): void {
    // An address of the primary that leads to a standby says nothing about the lag.
    const isPrimary = primary !== undefined && !primary.isStandby;
    const nowMs = this.#now();
    if (isPrimary) {
      this.#primaryAnsweredAtMs = nowMs;
      this.#lag.notePrimary(primary, atMs);
    }
    if (replica) this.#lag.noteReplica(replica, atMs);
    const isAwaited = this.needsPrimary() && nowMs - this.#primaryAnsweredAtMs < goneMs;
    this.#note('primary', isPrimary || isAwaited);
    this.#note('replica', replica !== undefined);
    const { maxLagMs } = this.#options;
    this.#isSmall = replica !== undefined && this.lagMs() <= maxLagMs * smallShare;
    if (!this.#isSmall && this.#current === 'primary') this.#returnAtMs = nowMs + holdMs;
    this.current();
  }

  /** How far the replica is behind. */
  lagMs(): number {
    return this.#lag.at(this.#now());
  }

  isUp(name: ReadServerName): boolean {
    return this.#upSinceMs[name] !== undefined;
  }

  /** The server to read from now. */
  current(): ReadServerName {
    const [to, reason] = this.#choose();
    if (to !== this.#current) {
      this.#isForced = reason === 'primary gone';
      this.#current = to;
      if (to === 'primary') this.#returnAtMs = this.#now() + holdMs;
      this.#options.onSwitch(to, reason);
    }
    return to;
  }

  /** Whether the primary is there, and the replica cannot be used instead: it is too far behind, or gone. */
  needsPrimary(): boolean {
    return this.isUp('primary') && this.#current === 'primary' && !this.#isSmall;
  }

  /** Calls `act` when the server is gone, until the returned function is called. */
  whenLost(name: ReadServerName, act: () => void): () => void {
    this.#onLost[name].add(act);
    return () => this.#onLost[name].delete(act);
  }

  #note(name: ReadServerName, isUp: boolean): void {
    if (isUp) this.#upSinceMs[name] ??= this.#now();
    else this.#upSinceMs[name] = undefined;
    if (!isUp) for (const act of this.#onLost[name]) act();
  }

  #choose(): [ReadServerName, SwitchReason] {
    const { primary: primarySinceMs, replica: replicaSinceMs } = this.#upSinceMs;
    if (replicaSinceMs === undefined) return ['primary', 'replica gone'];
    if (primarySinceMs === undefined) return ['replica', 'primary gone'];
    const nowMs = this.#now();
    if (this.#current === 'primary')
      return this.#isSmall && nowMs >= this.#returnAtMs
        ? ['replica', 'replica caught up']
        : ['primary', 'replica behind'];
    const { maxLagMs } = this.#options;
    if (this.lagMs() <= maxLagMs) {
      this.#isForced = false;
      return ['replica', 'replica caught up'];
    }
    // A primary that is back must first be compared with the replica, which was read from before.
    const isCompared = this.#isForced || nowMs - primarySinceMs >= maxLagMs;
    return isCompared ? ['primary', 'replica behind'] : ['replica', 'replica caught up'];
  }
}
