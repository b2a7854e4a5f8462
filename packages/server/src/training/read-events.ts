import type pg from 'pg';
import { type CollectedPart, EventCollector } from './event-collector.ts';
import { type EventTypes, isOverfull } from './event-types.ts';
import type { ItemNumbers } from './item-numbers.ts';
import { type RangeOptions, readRanges } from './read-ranges.ts';
import { beginSnapshot, copyEvents, endSnapshot } from './rows/training-rows.ts';
import type { TrainingSource } from './rows/training-source.ts';

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
    await copyEvents(client, source, collector.onRow, options.untilTs);
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
