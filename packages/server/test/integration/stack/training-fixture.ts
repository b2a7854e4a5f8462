import type { AttributeKind, DatasetKind, EventRecord } from '@tastegraph/contract';
import pg from 'pg';
import { createAccount } from '../../../src/accounts/create-account.ts';
import { type DatasetRow, insertDataset } from '../../../src/datasets/rows/datasets.ts';
import { type EntityRow, entityRow, upsertEntities } from '../../../src/datasets/rows/entities.ts';
import { eventRow, upsertEvents } from '../../../src/datasets/rows/events.ts';
import { newId } from '../../../src/http/ids.ts';
import type { Database } from '../../../src/kernel/postgres/pool.ts';
import type { TrainingSource } from '../../../src/training/rows/training-rows.ts';
import { openOwnDatabase } from './database.ts';
import { batchesOf } from './training.ts';

export interface TrainingRecords {
  readonly users: EntityRow[];
  readonly items: EntityRow[];
  readonly events: EventRecord[];
}

type Schemas = { readonly [Kind in 'user' | 'item']?: Record<string, AttributeKind> };

/** A database with datasets to train on. */
export class TrainingFixture {
  readonly db: Database;
  readonly url: string;
  private readonly own: AsyncDisposable;

  private constructor(own: Awaited<ReturnType<typeof openOwnDatabase>>) {
    this.own = own;
    this.url = own.url;
    this.db = own.db;
  }

  static async open(poolSize?: number): Promise<TrainingFixture> {
    return new TrainingFixture(await openOwnDatabase(poolSize));
  }

  /** A connection like that of a training. */
  async connect(url = this.url): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, application_name: 'training' });
    await client.connect();
    return client;
  }

  async newSource(target_event_type: string, schemas: Schemas = {}): Promise<TrainingSource> {
    const { account_id } = await createAccount(this.db, 'test', 'default');
    const create = (kind: DatasetKind, attribute_schema: DatasetRow['attribute_schema'] = null) =>
      insertDataset(this.db, account_id, {
        kind,
        attribute_schema,
        retention_days: null,
        name: 'a dataset',
        num_shards: 100,
        dataset_id: newId(`${kind}Dataset`),
      });
    return {
      target_event_type,
      negative_event_types: [],
      users: await create('user', schemas.user),
      items: await create('item', schemas.item),
      events: await create('event'),
    };
  }

  async fill(source: TrainingSource, { users, items, events }: TrainingRecords): Promise<void> {
    for (const some of batchesOf(users))
      await upsertEntities(this.db, { ...source.users, kind: 'user' }, some.map(entityRow));
    for (const some of batchesOf(items))
      await upsertEntities(this.db, { ...source.items, kind: 'item' }, some.map(entityRow));
    for (const some of batchesOf(events))
      await upsertEvents(this.db, { ...source.events, kind: 'event' }, some.map(eventRow));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.own[Symbol.asyncDispose]();
  }
}
