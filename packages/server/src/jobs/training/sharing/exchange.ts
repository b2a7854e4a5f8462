import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Block,
  blockVersion,
  bytesAt,
  type Scratch,
  sharedRange,
  sizeOf,
  type WindowedWork,
} from '@tastegraph/algorithms';
import { within } from '../../../lib/within.ts';
import { type ObjectsSettings, openObjectStore } from '../../../storage/objects/open.ts';
import { readWhole } from '../../../storage/objects/read-whole.ts';
import type { ByteSource, ObjectStore } from '../../../storage/objects/store.ts';
import { insertOrphanedObjects } from '../../../storage/postgres/orphaned-objects.ts';
import type { Database } from '../../../storage/postgres/pool.ts';
import {
  type BlockObject,
  type BlockState,
  claimBlock,
  deleteStage,
  insertBlock,
  listBlocks,
  type SharedStage,
  takeOverBlock,
} from '../../../storage/postgres/training-blocks.ts';
import { chunksOf } from './block-objects.ts';
import { type BlockTask, type SharingSettings, stagePrefix } from './protocol.ts';

export interface SharingContext extends SharingSettings {
  readonly db: Database;
  readonly objects: ObjectsSettings;
  readonly signal: AbortSignal;
}

interface ExchangeContext extends SharingContext {
  readonly stage: number;
  /** How many other workers there are. */
  readonly helpers: number;
}

type SharedPart = Pick<WindowedWork<Scratch>, 'memory' | 'sharedEnd' | 'threadBytes'>;

/** A window that is offered: what to compute, and a copy of what it reads. */
interface Offer {
  readonly window: number;
  readonly block: Block;
  readonly reads: readonly Uint8Array[];
}

export interface Finished {
  readonly window: number;
  readonly writes: Block['writes'];
  readonly bytes: Uint8Array;
}

/** How soon the training notices a claim or a result. */
const pollMs = 100;
/** Copies of windows that wait to be written take at most this much memory, or are a single one. */
const maxQueuedBytes = 2 ** 26;
/** A window may take longer elsewhere than here only because the worker has just read its bytes. */
const minPatienceMs = 2000;
/** To delete rows. If it fails, workers delete them when the attempt has ended. */
const closeMs = 5000;

const secondsSince = (time: number) => (performance.now() - time) / 1000;

/**
 * Offers windows of one stage to other workers and collects their results, beside the computation. Never throws: after a
 * failure nothing more comes from it, and all windows without a result are computed by the training.
 */
export class Exchange implements AsyncDisposable {
  readonly #context: ExchangeContext;
  readonly #stage: SharedStage;
  readonly #prefix: string;
  readonly #work: SharedPart;
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #queue: Offer[] = [];
  readonly #offered = new Map<number, Block>();
  readonly #collected = new Set<number>();
  #finished: Finished[] = [];
  #states: readonly BlockState[] = [];
  /** When they were listed. */
  #listedAt = performance.now();
  /** When the store or the database last did something for this stage. */
  #progressAt = performance.now();
  /** How many offered windows nobody has claimed, beside those in the queue. */
  #unclaimed = 0;
  /** How many there should be: grows when helpers find none. */
  #supply: number;
  #hasFailed = false;
  #wake: () => void = () => undefined;
  readonly #running: Promise<void>;

  constructor(work: SharedPart, context: ExchangeContext) {
    this.#context = context;
    this.#work = work;
    this.#stage = { ...context.attempt, stage: context.stage };
    this.#prefix = stagePrefix(context.jobId, this.#stage);
    this.#signal = AbortSignal.any([context.signal, this.#end.signal]);
    this.#supply = 2 * context.helpers;
    this.#running = this.#run().catch(async () => {
      this.#hasFailed = true;
      this.#wake();
      // So that helpers leave the stage.
      await this.#delete().catch(() => undefined);
    });
  }

  /** Whether to offer another window. */
  hasRoom(): boolean {
    const queued = this.#queue.reduce((sum, { block }) => sum + sizeOf(block.reads), 0);
    if (this.#hasFailed || (this.#queue.length > 0 && queued >= maxQueuedBytes)) return false;
    return this.#unclaimed + this.#queue.length < this.#supply;
  }

  /** Copies what the window reads, which is in memory, so that the memory can be used for another one. */
  offer(window: number, block: Block): void {
    const reads = block.reads.map((range) => bytesAt(this.#work.memory, range).slice());
    this.#queue.push({ window, block, reads });
  }

  /** The results that came since the last call. */
  collect(): readonly Finished[] {
    const finished = this.#finished;
    this.#finished = [];
    return finished;
  }

  /**
   * A window that no worker has begun, or has had for longer than `patienceMs`. Any window if the store takes that long for
   * one step: a result that comes after all is ignored.
   */
  async claimBack(open: ReadonlySet<number>, patienceMs: number): Promise<number | undefined> {
    const { db, workerId } = this.#context;
    try {
      // Results that came meanwhile are collected first.
      if (this.#finished.length > 0) return undefined;
      if (this.#hasFailed) return [...open][0];
      const queued = this.#queue.pop();
      if (queued) return queued.window;
      const claimed = await claimBlock(db, this.#stage, this.#context);
      if (claimed) return open.has(claimed.block) ? claimed.block : undefined;
      const limitSeconds = Math.max(minPatienceMs, patienceMs) / 1000;
      const sinceListed = secondsSince(this.#listedAt);
      for (const { block, output, seconds } of this.#states) {
        const isLate = open.has(block) && !output && seconds + sinceListed > limitSeconds;
        if (isLate && (await takeOverBlock(db, this.#stage, workerId, block))) return block;
      }
      return secondsSince(this.#progressAt) > limitSeconds ? [...open][0] : undefined;
    } catch {
      this.#hasFailed = true;
      return [...open][0];
    }
  }

  /** Resolves when there may be a result. */
  async changed(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([woken, sleep(pollMs)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort(new Error('the stage is complete'));
    await within(
      closeMs,
      this.#running.then(() => this.#delete()),
    ).catch(() => undefined);
  }

  #delete(): Promise<void> {
    return deleteStage(this.#context.db, this.#stage, this.#prefix);
  }

  async #run(): Promise<void> {
    const { db } = this.#context;
    const { memory, sharedEnd } = this.#work;
    await using store = await openObjectStore(this.#context.objects);
    const shared = await this.#put(store, 'shared', chunksOf(memory, [sharedRange(sharedEnd)]));
    while (!this.#signal.aborted) {
      this.#progressAt = performance.now();
      for (let offer = this.#queue.shift(); offer; offer = this.#queue.shift())
        await this.#publish(store, offer, shared);
      this.#states = await listBlocks(db, this.#stage);
      this.#listedAt = this.#progressAt = performance.now();
      if (this.#states.length < this.#offered.size) throw new Error('the attempt has lost the job');
      for (const state of this.#states) await this.#read(store, state);
      this.#unclaimed = this.#states.filter(({ is_claimed }) => !is_claimed).length;
      if (this.#unclaimed === 0 && this.#states.length > 0)
        this.#supply = Math.min(2 * this.#supply, 8 * this.#context.helpers);
      await sleep(pollMs, undefined, { signal: this.#signal }).catch(() => undefined);
    }
  }

  async #publish(store: ObjectStore, { window, block, reads }: Offer, shared: BlockObject): Promise<void> {
    const { db, workerId } = this.#context;
    const input = await this.#put(store, `${window}-in`, reads);
    const { sharedEnd, threadBytes } = this.#work;
    const task: BlockTask = { block, shared, sharedEnd, input };
    this.#offered.set(window, block);
    await insertBlock(db, this.#stage, {
      block: window,
      owner: workerId,
      version: blockVersion,
      memory_bytes: block.end,
      thread_bytes: threadBytes,
      task,
    });
    this.#unclaimed++;
    this.#progressAt = performance.now();
  }

  async #read(store: ObjectStore, { block: window, output }: BlockState): Promise<void> {
    if (!output || this.#collected.has(window)) return;
    const writes = this.#offered.get(window)?.writes ?? [];
    if (output.size !== sizeOf(writes)) throw new Error(`the result of window ${window} has the wrong size`);
    const bytes = await readWhole(store, output.object_key, output, this.#signal);
    this.#progressAt = performance.now();
    this.#collected.add(window);
    this.#finished.push({ window, writes, bytes });
    this.#wake();
  }

  async #put(store: ObjectStore, name: string, source: ByteSource): Promise<BlockObject> {
    const { db, attempt } = this.#context;
    const object_key = `${this.#prefix}${name}.tgb`;
    await insertOrphanedObjects(db, [object_key], attempt);
    return { object_key, ...(await store.put(object_key, source, { signal: this.#signal })) };
  }
}
