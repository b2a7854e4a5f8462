import { DeadlineExceededError, within } from '../../kernel/lib/within.ts';
import type { CallBudget, ExhaustedResource } from '../call-budget.ts';
import { MirrorUnusableError } from '../catalogue/item-mirror.ts';
import type { Marks } from '../compiled-rules.ts';
import { isSmall, trimRecord } from '../item-record.ts';
import { readSeenItems } from '../rows/serving-reads.ts';
import { itemsOf } from '../state/exclusions.ts';
import type { Candidate } from './candidates.ts';
import { type Batch, type Search, searchCatalogue } from './search-catalogue.ts';

/** A candidate that has a record and passes the filter. */
export interface FoundItem {
  readonly candidate: Candidate;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Length of the JSON that was read of its record. */
  readonly length: number;
  /** What the rules of the call say about it. */
  readonly marks: Marks | undefined;
}

/** Items in order, a few at a time. */
export interface ItemStream {
  /** Up to `max` further items; possibly none although there are more. */
  next(max: number): Promise<FoundItem[]>;
  /** Whether nothing more will come: all items were examined, or the budget is exhausted. */
  readonly hasEnded: boolean;
}

/** Share of the remaining time for reading seen items if the history could not be read. */
const unreadShare = 0.25;

interface OpenBatch extends Batch {
  readonly seen: ReadonlySet<string> | undefined;
  index: number;
}

/** The items that have a record, match the filter and are not excluded, once each: candidates, then those added after training. */
export class ItemFinder implements ItemStream {
  readonly #search: Search;
  readonly #budget: CallBudget;
  readonly #batches: AsyncGenerator<Batch, void>;
  /** The most bytes of records that it returns in total. */
  readonly #maxBytes: number;
  #batch: OpenBatch | undefined;
  #hasEnded = false;
  #exhausted: ExhaustedResource | undefined;
  #bytes = 0;
  #examined = 0;

  constructor(search: Search, budget: CallBudget, maxBytes: number) {
    this.#search = search;
    this.#budget = budget;
    this.#maxBytes = maxBytes;
    this.#batches = searchCatalogue(search, budget);
  }

  get hasEnded(): boolean {
    return this.#hasEnded || this.exhausted !== undefined;
  }

  /** The number of candidates that were read. */
  get examined(): number {
    return this.#examined;
  }

  /** What ran out before all items were examined. */
  get exhausted(): ExhaustedResource | undefined {
    return this.#exhausted ?? this.#budget.exhausted;
  }

  /** The last candidate of the current batch: those of later batches follow it. */
  get last(): Candidate | undefined {
    return this.#batch?.candidates.at(-1);
  }

  /** Matches from one batch. */
  async next(max: number): Promise<FoundItem[]> {
    const found: FoundItem[] = [];
    try {
      const batch = await this.#openBatch();
      if (batch) await this.#collect(batch, found, max);
      else this.#hasEnded = true;
    } catch (error) {
      // What was found before the time ran out is returned.
      if (!this.#budget.hasSpent || !(error instanceof DeadlineExceededError)) throw error;
      this.#exhausted = 'time';
    }
    return found;
  }

  async #openBatch(): Promise<OpenBatch | undefined> {
    if (this.#batch && this.#batch.index < this.#batch.candidates.length) return this.#batch;
    const next = await this.#batches.next();
    if (next.done) return undefined;
    const { candidates, records } = next.value;
    const seen = await readSeenIn(this.#search, next.value);
    this.#examined += candidates.length;
    this.#batch = { candidates, records, seen, index: 0 };
    return this.#batch;
  }

  async #collect(batch: OpenBatch, found: FoundItem[], max: number): Promise<void> {
    const { filter, mark, request, mirror } = this.#search;
    const { candidates, records, seen } = batch;
    const budget = this.#budget;
    const isDone = await budget.forEach(() => {
      const candidate = candidates[batch.index];
      if (!candidate || found.length >= max || this.#bytes > this.#maxBytes) return false;
      batch.index++;
      const item = records.get(candidate.itemId, candidate.number);
      if (!item || seen?.has(candidate.itemId)) return true;
      budget.spendParse(item.length);
      // Small records of a mirror cost nothing to read; large ones are written as JSON to find their length.
      if (mirror && !isSmall(item)) budget.spendRead(item.length);
      if (filter && !filter.matches(item.attributes, candidate.itemId, budget)) return true;
      const marks = mark?.(item.attributes, candidate.itemId, budget);
      if (candidate.factor !== undefined && candidate.factor !== marks?.factor)
        throw new MirrorUnusableError('the item has changed since it was boosted');
      const { attributes, length } = trimRecord(item, request.attributes);
      found.push({ candidate, attributes, length, marks });
      this.#bytes += length;
      return true;
    });
    if (!isDone) this.#exhausted = budget.exhausted;
    else if (this.#bytes > this.#maxBytes) this.#exhausted = 'bytes';
  }
}

/** The model excludes the items of the history that it knows. Others are looked up: in the history, if it is whole, or in the database. */
async function readSeenIn(
  { db, project, request, history, events, leftMs }: Search,
  { candidates, records }: Batch,
): Promise<ReadonlySet<string> | undefined> {
  const { user_id, exclude_seen, exclude_event_types } = request;
  if (!exclude_seen || user_id === undefined) return undefined;
  const ids = candidates
    .filter(
      ({ number, itemId }) => (history !== 'whole' || number === undefined) && records.get(itemId, number),
    )
    .map(({ itemId }) => itemId);
  if (ids.length === 0) return undefined;
  const types = exclude_event_types ?? [project.target_event_type];
  if (history === 'whole') return new Set(itemsOf(events, types));
  const readAll = () => readSeenItems(db, project, user_id, types, ids);
  if (history !== 'unread') return within(leftMs(), readAll());
  // The database may still be unavailable: do not wait long for it. The response says that it is degraded.
  return within(leftMs() * unreadShare, readAll()).catch(() => undefined);
}
