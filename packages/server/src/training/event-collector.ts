import {
  countTokens,
  EventColumns,
  type EventPart,
  type Incidence,
  IncidenceBuilder,
  packTexts,
  type Texts,
  TextsBuilder,
} from '@tastegraph/algorithms';
import { JobError } from '../jobs/engine/job-error.ts';
import { type CopiedRow, decodeText, textField } from '../kernel/postgres/copy-rows.ts';
import type { EventTypes, TypeCounts } from './event-types.ts';
import { fieldEncoder } from './learn-attributes.ts';
import type { RangeTask } from './protocol.ts';

interface CollectorOptions extends Pick<RangeTask, 'eventCount' | 'codes' | 'hasTimes'> {
  readonly numbers: ItemNumbers;
  readonly types: EventTypes;
  readonly progress: Pick<Progress, 'step'>;
}

interface Counts {
  events: number;
  /** Undefined without events. */
  newestTs: number | undefined;
  usersWithRecord: number;
  ordered: boolean;
}

/** What one of several readers has read, with the numbers that it gave to items and types. Structured-cloneable. */
export interface CollectedPart extends Counts {
  readonly columns: EventPart;
  readonly items: Texts;
  readonly types: TypeCounts;
  readonly userIds: Texts;
  readonly userRows: Incidence | undefined;
}

/** Collects the rows of `copyEvents`: events, and one row of tokens for each user who has events. */
export class EventCollector {
  readonly columns: EventColumns;
  readonly #options: CollectorOptions;
  readonly #encode: (field: string) => number[];
  readonly #userIds = new TextsBuilder();
  /** Undefined if no attribute has a code. */
  readonly userRows: IncidenceBuilder | undefined;
  readonly counts: Counts = { events: 0, newestTs: undefined, usersWithRecord: 0, ordered: false };
  #lastTs: string | undefined;

  constructor(options: CollectorOptions) {
    const { eventCount, hasTimes, codes } = options;
    this.#options = options;
    this.#encode = fieldEncoder(codes);
    this.columns = new EventColumns(eventCount, { hasTimes });
    this.userRows = codes.length > 0 ? new IncidenceBuilder() : undefined;
  }

  /** In the order of users. */
  get userIds(): Texts {
    return this.#userIds.build();
  }

  readonly onRow = (row: CopiedRow): void => {
    const { progress, numbers, types, hasTimes } = this.#options;
    progress.step();
    this.counts.events++;
    const userId = row[0];
    if (typeof userId === 'string') this.#beginUser(userId, textField(row, 1));
    const ts = textField(row, 2);
    const lastTs = this.#lastTs;
    if (lastTs !== undefined && ts !== lastTs) this.counts.ordered = true;
    this.columns.push(
      numbers.of(textField(row, 3)),
      types.count(textField(row, 4)),
      Number(row[5]),
      ts === lastTs,
      hasTimes ? Number(ts) / 60_000 : 0,
    );
    // Each user's events are in order, the newest first.
    if (lastTs === undefined) this.#addTime(Number(ts));
    this.#lastTs = ts;
  };

  #beginUser(userId: string, profile: string): void {
    this.#userIds.pushBytes(userId);
    this.columns.beginUser();
    this.#lastTs = undefined;
    if (profile !== '') this.counts.usersWithRecord++;
    this.userRows?.push(profile === '' ? [] : this.#encode(profile));
  }

  part(): CollectedPart {
    const { numbers, types, codes } = this.#options;
    return {
      ...this.counts,
      columns: this.columns.part(),
      items: packTexts(numbers.ids),
      types: types.seen,
      userIds: this.userIds,
      userRows: this.userRows?.build(countTokens(codes)),
    };
  }

  /** Adds what another reader has read of the users that follow. The result is that of reading their rows here. */
  append(part: CollectedPart): void {
    const { numbers, types } = this.#options;
    const { bytes, ends } = part.items;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const items = Uint32Array.from(ends, (end, index) =>
      numbers.of(text.toString('latin1', index === 0 ? 0 : ends[index - 1], end)),
    );
    this.columns.append(part.columns, items, types.add(part.types));
    this.#userIds.append(part.userIds);
    const { userRows } = part;
    for (let row = 0; userRows && row < userRows.rows; row++)
      this.userRows?.push(userRows.column.subarray(userRows.offsets[row], userRows.offsets[row + 1]));
    this.counts.events += part.events;
    this.counts.usersWithRecord += part.usersWithRecord;
    this.counts.ordered ||= part.ordered;
    if (part.newestTs !== undefined) this.#addTime(part.newestTs);
  }

  #addTime(ts: number): void {
    this.counts.newestTs = Math.max(this.counts.newestTs ?? 0, ts);
  }
}

/** Ten times what the algorithms are made for, and less than the limit of a Map (16.7 million). */
const maxItems = 10_000_000;

/** Numbers items as they occur. Keyed by the bytes of their IDs, one character per byte, as they come from COPY. */
export class ItemNumbers {
  readonly #numbers = new Map<string, number>();
  readonly ids: string[] = [];

  of(bytes: string): number {
    return this.#numbers.get(bytes) ?? this.#add(bytes);
  }

  #add(bytes: string): number {
    if (this.ids.length === maxItems)
      throw new JobError(
        'TOO_MANY_ITEMS',
        `The item dataset and the events together have more than ${maxItems.toLocaleString('en')} items, the most a model can hold. Check that several events share an item_id: it must identify a product or an article, not a single visit or order. Delete items that do not need to be recommended, and their events.`,
      );
    const id = decodeText(bytes);
    // For most IDs, bytes and characters are the same, so that one string serves as both.
    const key = id.length === bytes.length ? id : Buffer.from(bytes, 'latin1').toString('latin1');
    this.#numbers.set(key, this.ids.length);
    return this.ids.push(id) - 1;
  }
}

/** Reports the progress of reading about a hundred times. */
export class Progress {
  readonly #report: ((fraction: number) => void) | undefined;
  readonly #total: number;
  #done = 0;
  #next = 0;

  constructor(total: number, report: ((fraction: number) => void) | undefined) {
    this.#total = Math.max(1, total);
    this.#report = report;
  }

  step(rows = 1): void {
    this.#done += rows;
    if (this.#done < this.#next) return;
    this.#next = this.#done + this.#total / 100;
    this.#report?.(Math.min(1, this.#done / this.#total));
  }
}
