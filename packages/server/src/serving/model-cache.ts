import { readWhole } from '../storage/objects/read-whole.ts';
import type { ObjectStore } from '../storage/objects/store.ts';
import type { DeployedModel } from '../storage/postgres/serving-reads.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

interface Entry {
  readonly snapshot: Promise<Snapshot>;
  bytes: number;
}

/**
 * Models in memory, loaded when asked for and let go, the one not asked for the longest first, when together they are over the
 * budget. One that is let go while a call uses it lives until the call ends.
 */
export class ModelCache {
  readonly #store: ObjectStore;
  readonly #budgetBytes: number;
  /** In the order of their last use. */
  readonly #entries = new Map<number, Entry>();

  constructor(store: ObjectStore, budgetBytes: number) {
    this.#store = store;
    this.#budgetBytes = budgetBytes;
  }

  /** However many ask at once, it is read once. One that failed is read again by who asks next. */
  get(model: DeployedModel): Promise<Snapshot> {
    const known = this.#entries.get(model.model_key);
    const entry = known ?? this.#load(model);
    this.#entries.delete(model.model_key);
    this.#entries.set(model.model_key, entry);
    return entry.snapshot;
  }

  get count(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return [...this.#entries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #load(model: DeployedModel): Entry {
    const entry: Entry = { snapshot: this.#read(model), bytes: model.size };
    entry.snapshot.then(
      ({ bytes }) => {
        entry.bytes = bytes;
        this.#letGo(model.model_key);
      },
      () => {
        if (this.#entries.get(model.model_key) === entry) this.#entries.delete(model.model_key);
      },
    );
    return entry;
  }

  async #read({ model_key, object_key, size, sha256 }: DeployedModel): Promise<Snapshot> {
    return openSnapshot(model_key, await readWhole(this.#store, object_key, { size, sha256 }));
  }

  /** All but the one just loaded: a model larger than the budget is served all the same. */
  #letGo(justLoaded: number): void {
    for (const key of this.#entries.keys()) {
      if (this.bytes <= this.#budgetBytes) return;
      if (key !== justLoaded) this.#entries.delete(key);
    }
  }
}
