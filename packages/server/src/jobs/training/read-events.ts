import {
  type AttributeCode,
  EventColumns,
  IncidenceBuilder,
  type Texts,
  TextsBuilder,
} from '@tastegraph/algorithms';
import type pg from 'pg';
import { textField } from '../../storage/postgres/copy-rows.ts';
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
    progress,
  }: {
    eventCount: number;
    numbers: ItemNumbers;
    types: EventTypes;
    codes: readonly AttributeCode[];
    /** Keeps the time of each event. */
    hasTimes: boolean;
    progress: Progress;
  },
): Promise<ReadEventsResult> {
  const columns = new EventColumns(eventCount, { hasTimes });
  const userIds = new TextsBuilder();
  const encode = fieldEncoder(codes);
  const userRows = codes.length > 0 ? new IncidenceBuilder() : undefined;
  let [events, usersWithRecord, ordered] = [0, 0, false];
  let lastTs: string | undefined;
  await copyEvents(client, source, (row) => {
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
    lastTs = ts;
  });
  return { columns, userIds: userIds.build(), userRows, events, usersWithRecord, ordered };
}
