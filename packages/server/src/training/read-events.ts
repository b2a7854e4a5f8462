import type pg from 'pg';
import { runThread } from '../jobs/engine/run-thread.ts';
import { type CollectedPart, EventCollector, type ItemNumbers, type Progress } from './event-collector.ts';
import { type EventTypes, isOverfull } from './event-types.ts';
import type { RangeTask } from './protocol.ts';
import {
  beginSnapshot,
  copyEvents,
  divideUsers,
  endSnapshot,
  exportSnapshot,
  type TrainingSource,
} from './rows/training-rows.ts';

interface ReadEventsOptions extends RangeOptions {
  readonly numbers: ItemNumbers;
  readonly types: EventTypes;
}

/**
 * Reads events, and the attributes of the users who have events: one row of tokens per user. Large datasets are read by
 * several threads at once, in the snapshot of `client`; the result is the same. Ends the snapshot.
 */
export async function readEvents(
  client: pg.Client,
  source: TrainingSource,
  options: ReadEventsOptions,
): Promise<EventCollector> {
  const parts = await readJoinableRanges(client, source, options);
  const collector = new EventCollector(options);
  // Each part is released before the next is added.
  for (let part = parts?.shift(); part; part = parts?.shift()) collector.append(part);
  if (!parts) {
    await copyEvents(client, source, collector.onRow, options.times);
    await endSnapshot(client);
  }
  return collector;
}

/** Undefined, with a snapshot open, if one reader must read everything. */
async function readJoinableRanges(
  client: pg.Client,
  source: TrainingSource,
  options: RangeOptions,
): Promise<CollectedPart[] | undefined> {
  const parts = await readRanges(client, source, options);
  if (!parts?.some(({ types }) => isOverfull(types))) return parts;
  // There are so many event types that the readers' numbers of them cannot be joined. The first snapshot has ended. Events of the next one
  // may refer to items that were created in between; those count as items without a record.
  await beginSnapshot(client);
  return undefined;
}

/** Who reads the events of a large dataset. */
export interface Readers {
  readonly databaseUrl: string;
  /** The maximum number of threads, with one connection each. */
  readonly count: number;
  /** Each reads at least this many events, or is not worth its start. */
  readonly minEvents?: number;
  /** What to do if the data does not fit into memory, for the developer. */
  readonly memoryAdvice: string;
}

interface RangeOptions extends Pick<RangeTask, 'eventCount' | 'namedTypes' | 'codes' | 'hasTimes' | 'times'> {
  readonly progress: Progress;
  /** Absent: one connection reads all events. */
  readonly readers: Readers | undefined;
  readonly signal: AbortSignal;
}

/** About two seconds of reading. */
const defaultMinEvents = 500_000;

const script = new URL('./range-reader.ts', import.meta.url);

/**
 * Reads ranges of users in parallel, in the snapshot of `client`. Ends that snapshot as soon as all readers have joined it; each reader
 * ends its own with its range. An open one holds back vacuum for the whole database. Returns undefined, with the snapshot still open, if
 * there are too few events.
 */
async function readRanges(
  client: pg.Client,
  source: TrainingSource,
  { readers, eventCount, namedTypes, codes, hasTimes, times, progress, signal }: RangeOptions,
): Promise<CollectedPart[] | undefined> {
  const count = Math.min(
    readers?.count ?? 1,
    Math.floor(eventCount / (readers?.minEvents ?? defaultMinEvents)),
  );
  if (!readers || count < 2) return undefined;
  const ranges = await divideUsers(client, source.events, count);
  const snapshot = await exportSnapshot(client);
  const { databaseUrl, memoryAdvice } = readers;
  const common = { databaseUrl, snapshot, source, namedTypes, codes, hasTimes, times };
  const expected = Math.ceil((1.1 * eventCount) / ranges.length);
  // The first failure stops all readers, and all have ended before it is reported.
  const stopping = new AbortController();
  const stop = (reason: unknown) => stopping.abort(reason);
  const stopAll = () => stop(signal.reason);
  signal.addEventListener('abort', stopAll);
  if (signal.aborted) stopAll();
  let joining = ranges.length;
  let ending: Promise<void> | undefined;
  const reports = ranges.map(async (range): Promise<CollectedPart> => {
    const task: RangeTask = { ...common, range, eventCount: expected };
    let done: number | undefined;
    const report = (_stage: string, fraction: number) => {
      // A reader's first report says that it has joined.
      if (done === undefined && --joining === 0) ending = endSnapshot(client).catch(stop);
      const rows = Math.round(fraction * expected);
      try {
        progress.step(rows - (done ?? 0));
        done = rows;
      } catch (error) {
        stop(error);
      }
    };
    return runThread<CollectedPart>({ script, memoryAdvice }, task, {
      signal: stopping.signal,
      report,
    }).catch((error: unknown) => {
      stop(error);
      throw error;
    });
  });
  await Promise.allSettled(reports);
  await ending;
  signal.removeEventListener('abort', stopAll);
  stopping.signal.throwIfAborted();
  return Promise.all(reports);
}
