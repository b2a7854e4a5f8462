import type pg from 'pg';
import { copyEvents } from '../../storage/postgres/training-rows.ts';
import type { TrainingSource } from '../../storage/postgres/training-source.ts';
import { EventCollector } from './event-collector.ts';
import type { EventTypes } from './event-types.ts';
import type { ItemNumbers } from './item-numbers.ts';
import { type RangeOptions, readRanges } from './read-ranges.ts';

interface ReadEventsOptions extends RangeOptions {
  readonly numbers: ItemNumbers;
  readonly types: EventTypes;
}

/**
 * Reads events, and the attributes of the users who have events: one row of tokens per user. Large datasets are read by
 * several threads at once, in the snapshot of `client`; the result is the same.
 */
export async function readEvents(
  client: pg.Client,
  source: TrainingSource,
  options: ReadEventsOptions,
): Promise<EventCollector> {
  const parts = await readRanges(client, source, options);
  const collector = new EventCollector(options);
  // Each part is released before the next is added.
  for (let part = parts?.shift(); part; part = parts?.shift()) collector.append(part);
  if (!parts) await copyEvents(client, source, collector.onRow, options.untilTs);
  return collector;
}
