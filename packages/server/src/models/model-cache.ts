import { ModelFileError } from '@tastegraph/algorithms';
import { LRUCache } from 'lru-cache';
import { readWhole } from '../kernel/objects/body.ts';
import { ObjectStoreError } from '../kernel/objects/error.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { DeployedModel } from '../projects/rows/deployments.ts';
import { type LoadedModel, loadModel } from './loaded-model.ts';

/** A model that is being loaded, or waits for memory or for another load to end. */
interface Load {
  readonly model: Promise<LoadedModel>;
  readonly bytes: number;
  readonly start: () => void;
  hasStarted: boolean;
}

interface Failure {
  readonly error: unknown;
  readonly untilMs: number;
  readonly pauseMs: number;
}

/** A load reads from the store and validates in a thread; more in parallel would each be slower, and slow down calls. */
const maxLoading = 4;
/** Queued loads; calls for further models are refused. */
const maxWaiting = 1000;
/** A model takes the size of its file, and at most as much again for item IDs. */
const bytesPerFileByte = 2;
/** Back-off before another attempt to load a model that failed. */
const initialPauseMs = 1000;
const maxPauseMs = 60_000;
/** An evicted entry costs one failed load. */
const maxFailures = 1000;

const keyOf = ({ object_key, sha256 }: DeployedModel): string => `${object_key} ${sha256}`;

/** The deployed models leave no memory for another. */
export class NoSpareMemoryError extends Error {
  override readonly name = 'NoSpareMemoryError';
}

/**
 * Models, loaded on demand and evicted least recently used first. A load waits until its memory is free, so that the cache
 * stays within its budget; a model larger than that is still served, alone. An evicted model lives until its calls end. The
 * key is the file and its checksum: a database restored from a backup may give a row's number to another model.
 */
export class ModelCache {
  readonly #store: ObjectStore;
  readonly #budgetBytes: number;
  /** `#evictToFit` evicts, and not the cache, since reserved memory counts too and one model may exceed the budget. */
  readonly #loaded = new LRUCache<string, LoadedModel>({
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: ({ bytes }) => Math.max(1, Math.ceil(bytes)),
  });
  /** Loaded or loading models that are not deployed: the first to be evicted, and never in the place of others. */
  readonly #spare = new Set<string>();
  /** In the order of the requests. */
  readonly #loads = new Map<string, Load>();
  readonly #failures = new LRUCache<string, Failure>({ max: maxFailures });
  #loadCount = 0;

  constructor(store: ObjectStore, budgetBytes: number) {
    this.#store = store;
    this.#budgetBytes = budgetBytes;
  }

  /** Concurrent calls share one load. After a permanent failure, a model is not loaded until its back-off ends. */
  async get(model: DeployedModel): Promise<LoadedModel> {
    const key = keyOf(model);
    this.#spare.delete(key);
    return this.#get(key, model);
  }

  /** A model that is not deployed, in memory that is free or has others like it. Throws NoSpareMemoryError if there is none. */
  async getSpare(model: DeployedModel): Promise<LoadedModel> {
    const key = keyOf(model);
    if (!this.#loaded.has(key) && !this.#loads.has(key)) {
      const bytes = Math.ceil(model.size * bytesPerFileByte);
      const queued = this.#queue().reduce((sum, load) => sum + load.bytes, 0);
      this.#evictSpare(bytes + queued);
      if (this.bytes + queued + bytes > this.#budgetBytes)
        throw new NoSpareMemoryError('the deployed models need the memory');
      this.#spare.add(key);
    }
    return this.#get(key, model);
  }

  async #get(key: string, model: DeployedModel): Promise<LoadedModel> {
    const known = this.#loaded.get(key) ?? this.#loads.get(key)?.model;
    if (known) return known;
    const failure = this.#failures.get(key);
    if (failure && performance.now() < failure.untilMs) throw failure.error;
    if (this.#queue().length >= maxWaiting) throw new Error('too many models wait to be loaded');
    return this.#load(key, model);
  }

  /** Whether the model is loaded, or can be without evicting another. */
  hasRoomFor(model: DeployedModel): boolean {
    const key = keyOf(model);
    if (this.#loaded.has(key) || this.#loads.has(key)) return true;
    const queued = this.#queue().reduce((sum, load) => sum + load.bytes, 0);
    return this.bytes + queued + model.size * bytesPerFileByte <= this.#budgetBytes;
  }

  /** The number of loaded models. */
  get count(): number {
    return this.#loaded.size;
  }

  /** How many models were loaded so far. If it keeps rising, the models in use do not fit into the memory. */
  get loads(): number {
    return this.#loadCount;
  }

  /** Includes memory reserved for loads in progress. */
  get bytes(): number {
    return this.#loaded.calculatedSize + this.#loading().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #loading(): Load[] {
    return [...this.#loads.values()].filter(({ hasStarted }) => hasStarted);
  }

  #queue(): Load[] {
    return [...this.#loads.values()].filter(({ hasStarted }) => !hasStarted);
  }

  #load(key: string, model: DeployedModel): Promise<LoadedModel> {
    const started = Promise.withResolvers<undefined>();
    const loading = started.promise.then(() => this.#read(model));
    this.#loads.set(key, {
      model: loading,
      bytes: Math.ceil(model.size * bytesPerFileByte),
      start: () => started.resolve(undefined),
      hasStarted: false,
    });
    loading.then(
      (loaded) => {
        this.#loads.delete(key);
        this.#loaded.set(key, loaded);
        this.#loadCount++;
        this.#failures.delete(key);
        this.#evictToFit(0);
        this.#startNext();
      },
      (error: unknown) => {
        this.#loads.delete(key);
        this.#spare.delete(key);
        this.#rememberFailure(key, error);
        this.#startNext();
      },
    );
    this.#startNext();
    return loading;
  }

  async #read(model: DeployedModel): Promise<LoadedModel> {
    const { object_key, size, sha256 } = model;
    return loadModel(keyOf(model), await readWhole(this.#store, object_key, { size, sha256 }));
  }

  /** Remembers permanent failures only: an unavailable store may recover at any moment, a damaged file does not. */
  #rememberFailure(key: string, error: unknown): void {
    const isPermanent =
      error instanceof ModelFileError ||
      error instanceof RangeError ||
      (error instanceof ObjectStoreError && error.kind !== 'unavailable');
    if (!isPermanent) return;
    const before = this.#failures.get(key)?.pauseMs;
    const pauseMs = before === undefined ? initialPauseMs : Math.min(2 * before, maxPauseMs);
    this.#failures.set(key, { error, pauseMs, untilMs: performance.now() + pauseMs });
  }

  /** Starts queued loads in order while memory is free. In order, so that small models never starve a large one. */
  #startNext(): void {
    for (const next of this.#queue()) {
      const loading = this.#loading().length;
      if (loading >= maxLoading) return;
      if (!this.#evictToFit(next.bytes) && loading > 0) return;
      next.hasStarted = true;
      next.start();
    }
  }

  /** Evicts loaded models until `bytes` fit; with 0, all but the one loaded last. False if they do not fit even then. */
  #evictToFit(bytes: number): boolean {
    const kept = bytes > 0 ? 0 : 1;
    this.#evictSpare(bytes);
    while (this.bytes + bytes > this.#budgetBytes && this.#loaded.size > kept) this.#loaded.pop();
    return this.bytes + bytes <= this.#budgetBytes;
  }

  /** Evicts models that are not deployed, in the order in which they were loaded, until `bytes` fit. */
  #evictSpare(bytes: number): void {
    for (const key of this.#spare) {
      if (this.bytes + bytes <= this.#budgetBytes) return;
      if (!this.#loaded.delete(key)) continue;
      this.#spare.delete(key);
    }
  }
}
