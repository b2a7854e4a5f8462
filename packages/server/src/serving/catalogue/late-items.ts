import type { LateItems } from '@tastegraph/algorithms';
import { orderTexts } from '../../filters/value.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { CallBudget } from '../call-budget.ts';
import type { ItemTable } from './item-table.ts';

/** Items that are scored by their attributes, the first in the order of IDs: up to 2 ms per call, for users whose lists are not full without. */
export const maxScored = 50_000;
/** Changes before they are merged into the arrays: sorting and merging them takes a few milliseconds. */
const maxUnmerged = 5000;
/** Changed items per model; with more, looking at everything again is as cheap. */
const maxPending = 10_000;
/** Steps per lookup of an ID, per item whose attributes are encoded, per feature, and per character of its JSON. */
const lookupSteps = 10;
const encodeSteps = 300;
const featureSteps = 5;
const characterSteps = 1;

type LateModel = Pick<LoadedModel, 'itemNumbers' | 'featuresOf'>;

/** The items of a table that a model does not know, at one time. Never changes. */
export interface LateView {
  /** In PostgreSQL's order of texts, so that all processes number them in the same way. */
  readonly ids: readonly string[];
  /** The features of the first of them; undefined if the model cannot score items that it does not know. */
  readonly scored: LateItems | undefined;
}

const none = new Uint32Array(0);

/** Keeps the items that were added after a model's training, and their features. The model is not stored: the caller passes it. */
export class LateTable {
  readonly #table: ItemTable;
  /** Slots below this were looked at once. */
  #lookedAt = 0;
  /** IDs that were added, changed or removed since. */
  readonly #pending = new Set<string>();
  /** Features of items that are not merged yet; undefined for an item that is gone. */
  readonly #unmerged = new Map<string, Uint32Array | undefined>();
  #ids: readonly string[] = [];
  #offsets: Uint32Array = new Uint32Array(1);
  #feature: Uint32Array = none;

  constructor(table: ItemTable) {
    this.#table = table;
  }

  /** Memory of the features and the list of IDs, whose texts are in the table. */
  get bytes(): number {
    return this.#offsets.byteLength + this.#feature.byteLength + this.#ids.length * 8;
  }

  /** Call it when an item was added, changed or removed. False if too much has changed to continue. */
  change(id: string): boolean {
    this.#pending.add(id);
    return this.#pending.size < maxPending;
  }

  /** Looks at what is missing. Undefined if the budget ran out; the next call continues. */
  async update(model: LateModel, budget: CallBudget): Promise<LateView | undefined> {
    const isDone = await budget.forEach(() => this.#lookAtNext(model, budget));
    if (!isDone) return undefined;
    this.#merge();
    const ids = this.#ids;
    const scored = { count: this.#count, offsets: this.#offsets, feature: this.#feature };
    return { ids, scored: model.featuresOf && scored };
  }

  /** Looks at one item; false if none is left. */
  #lookAtNext(model: LateModel, budget: CallBudget): boolean {
    if (this.#unmerged.size >= maxUnmerged) this.#merge();
    budget.spend(lookupSteps);
    if (this.#lookedAt < this.#table.slots) {
      const id = this.#table.idAt(this.#lookedAt++);
      if (id !== undefined && !model.itemNumbers.has(id)) this.#add(id, model, budget);
      return true;
    }
    for (const id of this.#pending) {
      this.#pending.delete(id);
      if (!model.itemNumbers.has(id)) this.#add(id, model, budget);
      return true;
    }
    return false;
  }

  #add(id: string, { featuresOf }: LateModel, budget: CallBudget): void {
    const slot = this.#table.slotOf(id);
    const record = slot === undefined ? undefined : this.#table.recordAt(slot);
    const features = record && (featuresOf?.(record.attributes) ?? none);
    budget.spend(
      encodeSteps + featureSteps * (features?.length ?? 0) + characterSteps * (record?.length ?? 0),
    );
    this.#unmerged.set(id, features);
  }

  /** Builds new arrays, since views of earlier ones may be in use. */
  #merge(): void {
    if (this.#unmerged.size === 0) return;
    const changed = [...this.#unmerged].toSorted(([one], [other]) => orderTexts(one, other));
    this.#unmerged.clear();
    const merged = new MergedItems(this.#count + changed.length, this.#feature.length, changed);
    let place = 0;
    for (const [id, features] of changed) {
      const next = placeIn(this.#ids, id);
      this.#copy(place, next, merged);
      place = this.#ids[next] === id ? next + 1 : next;
      if (features) merged.add(id, features);
    }
    this.#copy(place, this.#ids.length, merged);
    this.#ids = merged.ids;
    this.#offsets = merged.offsets.subarray(0, merged.count + 1);
    this.#feature = merged.feature.subarray(0, merged.offsets[merged.count]);
  }

  get #count(): number {
    return this.#offsets.length - 1;
  }

  /** Items that come into the scored ones are encoded by the next update. */
  #copy(from: number, to: number, merged: MergedItems): void {
    const scoredTo = Math.max(from, Math.min(to, this.#count));
    const first = this.#offsets[from] ?? 0;
    merged.append(this.#feature.subarray(first, this.#offsets[scoredTo] ?? first));
    for (let place = from; place < scoredTo; place++)
      merged.end(this.#ids[place] ?? '', (this.#offsets[place + 1] ?? 0) - (this.#offsets[place] ?? 0));
    for (let place = scoredTo; place < to; place++) {
      const id = this.#ids[place] ?? '';
      if (merged.count < maxScored) this.#pending.add(id);
      merged.end(id, 0);
    }
  }
}

/** Items with their features, being put together. */
class MergedItems {
  readonly ids: string[] = [];
  readonly offsets: Uint32Array;
  readonly feature: Uint32Array;
  /** How many of the items are scored. */
  count = 0;
  #size = 0;

  constructor(
    items: number,
    features: number,
    changed: readonly (readonly [string, Uint32Array | undefined])[],
  ) {
    this.offsets = new Uint32Array(Math.min(items, maxScored) + 1);
    this.feature = new Uint32Array(changed.reduce((sum, [, own]) => sum + (own?.length ?? 0), features));
  }

  /** Features of items whose ends follow. */
  append(features: Uint32Array): void {
    this.feature.set(features, this.#size);
    this.#size += features.length;
  }

  end(id: string, length: number): void {
    this.ids.push(id);
    if (this.count === maxScored) return;
    this.count++;
    this.offsets[this.count] = (this.offsets[this.count - 1] ?? 0) + length;
  }

  add(id: string, features: Uint32Array): void {
    this.append(features);
    this.end(id, features.length);
  }
}

/** The place of the first ID that does not come before `id`. */
export function placeIn(sorted: readonly string[], id: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (orderTexts(sorted[middle] ?? '', id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
