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

interface EventsRead {
  readonly columns: EventColumns;
  /** Of the users in their order. */
  readonly userIds: Texts;
  /** Undefined when no attribute has a code. */
  readonly userRows: IncidenceBuilder | undefined;
  readonly events: number;
  readonly usersWithRecord: number;
  readonly ordered: boolean;
}

/** Events and, beside them, the attributes of the users who have some: a row of tokens for each. */
export async function readEvents(
  client: pg.Client,
  source: TrainingSource,
  {
    eventCount,
    numbers,
    types,
    codes,
    progress,
  }: {
    eventCount: number;
    numbers: ItemNumbers;
    types: EventTypes;
    codes: readonly AttributeCode[];
    progress: Progress;
  },
): Promise<EventsRead> {
  const columns = new EventColumns(eventCount);
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
    );
    lastTs = ts;
  });
  return { columns, userIds: userIds.build(), userRows, events, usersWithRecord, ordered };
}
