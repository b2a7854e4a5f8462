import {
  type AttributeCode,
  EventColumns,
  IncidenceBuilder,
  type Texts,
  TextsBuilder,
} from '@tastegraph/algorithms';
import type pg from 'pg';
import { type CopiedRow, textField } from '../../storage/postgres/copy-rows.ts';
import { copyEvents } from '../../storage/postgres/training-rows.ts';
import type { TrainingSource } from '../../storage/postgres/training-source.ts';
import type { EventTypes } from './event-types.ts';
import type { ItemNumbers } from './item-numbers.ts';
import { fieldEncoder } from './learn-attributes.ts';
import type { Progress } from './progress.ts';

interface ReadEventsResult {
  readonly columns: EventColumns;
  /** In the order of users. */
  readonly userIds: Texts;
  /** Undefined if no attribute has a code. */
  readonly userRows: IncidenceBuilder | undefined;
  readonly events: number;
  /** Undefined without events. */
  readonly newestTs: number | undefined;
  readonly usersWithRecord: number;
  readonly ordered: boolean;
}

/** Reads events, and the attributes of the users who have events: one row of tokens per user. */
export async function readEvents(
  client: pg.Client,
  source: TrainingSource,
  {
    eventCount,
    numbers,
    types,
    codes,
    hasTimes,
    untilTs,
    progress,
  }: {
    eventCount: number;
    numbers: ItemNumbers;
    types: EventTypes;
    codes: readonly AttributeCode[];
    /** Keeps the time of each event. */
    hasTimes: boolean;
    /** Later events are not read. */
    untilTs: number | undefined;
    progress: Progress;
  },
): Promise<ReadEventsResult> {
  const columns = new EventColumns(eventCount, { hasTimes });
  const userIds = new TextsBuilder();
  const encode = fieldEncoder(codes);
  const userRows = codes.length > 0 ? new IncidenceBuilder() : undefined;
  let [events, usersWithRecord, ordered] = [0, 0, false];
  let lastTs: string | undefined;
  let newestTs: number | undefined;
  const onRow = (row: CopiedRow) => {
    progress.step();
    events++;
    const userId = row[0];
    if (typeof userId === 'string') {
      userIds.pushBytes(userId);
      const profile = textField(row, 1);
      columns.beginUser();
      lastTs = undefined;
      if (profile !== '') usersWithRecord++;
      userRows?.push(profile === '' ? [] : encode(profile));
    }
    const ts = textField(row, 2);
    if (lastTs !== undefined && ts !== lastTs) ordered = true;
    columns.push(
      numbers.of(textField(row, 3)),
      types.count(textField(row, 4)),
      Number(row[5]),
      ts === lastTs,
      hasTimes ? Number(ts) / 60_000 : 0,
    );
    // Each user's events are in order, the newest first.
    if (lastTs === undefined) newestTs = Math.max(newestTs ?? 0, Number(ts));
    lastTs = ts;
  };
  await copyEvents(client, source, onRow, untilTs);
  return { columns, userIds: userIds.build(), userRows, events, newestTs, usersWithRecord, ordered };
}
