import type { WrittenEvent } from '../http/context.ts';
import { addToHistogram, newHistogram } from '../kernel/lib/histogram.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import {
  addCallCounts,
  type CallCountRow,
  type CallSums,
  callSums,
  listKnownProjects,
} from './rows/call-counts.ts';
import { addEventCounts, type EventCountRow } from './rows/record-history.ts';

export interface AnsweredCall {
  readonly accountId: string;
  readonly callerId: string;
  /** As the caller named it; absent for calls that name none. */
  readonly projectId: string | undefined;
  readonly isRecommendation: boolean;
  readonly status: number;
  readonly ms: number;
  readonly isDegraded: boolean;
}

type Counts = CallSums & { readonly durations: number[] };
type CallKey = Omit<CallCountRow, keyof Counts>;
type CallCount = CallKey & Counts;

const hourMs = 3600_000;
const dayMs = 24 * hourMs;
/** Rows per process until they are written; 5 MB. What is beyond is counted without its project, or not at all. */
const maxCallRows = 5000;
const maxEventRows = 20_000;
/** Twenty years: with this and the number of types, the rows of a dataset are bounded. */
const maxEventDays = 7305;
/** Of each dataset and process; others are counted together, as ''. */
const maxEventTypes = 100;
/** When there are more, all are forgotten: their types are counted anew. */
const maxKnownDatasets = 10_000;
/** So that a statement takes milliseconds. */
const rowsPerStatement = 500;

/** Counts calls and events in memory, off the path of the calls. A process that is killed loses what it has not flushed. */
export class UsageRecorder {
  #calls = new Map<string, CallCount>();
  #events = new Map<string, EventCountRow & { events: number }>();
  readonly #typesOf = new Map<number, Set<string>>();

  callAnswered(call: AnsweredCall, now = Date.now()): void {
    const { accountId, callerId, projectId = '', isRecommendation, status, ms, isDegraded } = call;
    const key = {
      account_id: accountId,
      project_id: projectId,
      hour: Math.floor(now / hourMs),
      caller_id: callerId,
      is_recommendation: isRecommendation,
    };
    const count = this.#callRow(key) ?? this.#callRow({ ...key, project_id: '' });
    if (!count) return;
    count.calls++;
    if (status >= 500) count.server_errors++;
    else if (status === 429) count.refused++;
    else if (status >= 400) count.client_errors++;
    else {
      addToHistogram(count.durations, ms);
      if (isDegraded) count.degraded++;
    }
  }

  #callRow(key: CallKey): CallCount | undefined {
    const text = textOf(key);
    const known = this.#calls.get(text);
    if (known || this.#calls.size >= maxCallRows) return known;
    const count = { ...key, ...newCounts() };
    this.#calls.set(text, count);
    return count;
  }

  /** Events that were written and committed. */
  eventsWritten(dataset_key: number, events: Iterable<WrittenEvent>, now = Date.now()): void {
    const today = Math.floor(now / dayMs);
    const daysOf = new Map<string, Map<number, number>>();
    for (const { ts, event_type } of events) {
      const day = Math.floor(ts / dayMs);
      // Of times in the future, only those of clocks that are ahead.
      if (day < today - maxEventDays || day > today + 1) continue;
      const days = daysOf.get(event_type) ?? new Map<number, number>();
      days.set(day, (days.get(day) ?? 0) + 1);
      daysOf.set(event_type, days);
    }
    for (const [type, days] of daysOf) {
      const event_type = this.#countedType(dataset_key, type);
      for (const [day, count] of days) this.#addEvents({ dataset_key, day, event_type, events: count });
    }
  }

  #countedType(datasetKey: number, type: string): string {
    if (this.#typesOf.size >= maxKnownDatasets) this.#typesOf.clear();
    const types = this.#typesOf.get(datasetKey) ?? new Set();
    this.#typesOf.set(datasetKey, types);
    if (types.size < maxEventTypes) types.add(type);
    return types.has(type) ? type : '';
  }

  #addEvents(row: EventCountRow): void {
    const key = `${row.dataset_key} ${row.day} ${row.event_type}`;
    const known = this.#events.get(key);
    if (known) known.events += row.events;
    else if (this.#events.size < maxEventRows) this.#events.set(key, { ...row });
  }

  /** Adds what was counted since the last time to the database. If that fails, the counts wait for the next time. */
  async flush(db: Queryable): Promise<void> {
    const calls = [...this.#calls.values()];
    const events = [...this.#events.values()];
    this.#calls = new Map();
    this.#events = new Map();
    try {
      await flushInBatches(calls, async (batch) => addCallCounts(db, await mergeUnknown(db, batch)));
      await flushInBatches(events, (batch) => addEventCounts(db, batch));
    } finally {
      // What was written was removed from the arrays.
      for (const row of calls) {
        const count = this.#callRow(row);
        if (count) addCounts(count, row);
      }
      for (const row of events) this.#addEvents(row);
    }
  }
}

/** IDs have no spaces. */
const textOf = ({ hour, project_id, caller_id, is_recommendation, account_id }: CallKey) =>
  `${hour} ${project_id} ${caller_id} ${String(is_recommendation)} ${account_id}`;

export const newCounts = (): Counts => ({
  calls: 0,
  client_errors: 0,
  refused: 0,
  server_errors: 0,
  degraded: 0,
  durations: newHistogram(),
});

export function addCounts(sum: Counts, row: Pick<CallCountRow, keyof Counts>): void {
  for (const name of callSums) sum[name] += row[name];
  for (const [step, count] of row.durations.entries())
    sum.durations[step] = (sum.durations[step] ?? 0) + count;
}

/** Writes the rows a batch at a time, and removes each batch from `rows` once it is written. */
async function flushInBatches<Row>(rows: Row[], write: (batch: Row[]) => Promise<void>): Promise<void> {
  while (rows.length > 0) {
    await write(rows.slice(0, rowsPerStatement));
    rows.splice(0, rowsPerStatement);
  }
}

/** Calls may name any project: only those of the account get rows of their own, so that callers cannot create rows at will. */
async function mergeUnknown(db: Queryable, rows: readonly CallCount[]): Promise<CallCount[]> {
  const named = rows.filter(({ project_id }) => project_id !== '');
  const known = new Set(named.length === 0 ? [] : await listKnownProjects(db, named));
  const merged = new Map<string, CallCount>();
  for (const row of rows) {
    const project_id = known.has(row.project_id) ? row.project_id : '';
    const key = textOf({ ...row, project_id });
    const sum = merged.get(key);
    if (sum) addCounts(sum, row);
    else merged.set(key, { ...row, project_id, durations: [...row.durations] });
  }
  return [...merged.values()];
}
