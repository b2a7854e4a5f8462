import type { DatasetKind, Problem } from '@tastegraph/contract';
import type { Database } from '../../../src/kernel/postgres/pool.ts';
import type { Answer, Caller } from './caller.ts';

type Capital = Capitalize<DatasetKind>;

/** The names that the three kinds of dataset use for the same things, so that a test can cover all of them. */
const names = (kind: DatasetKind, capital: Capital, prefix: string) =>
  ({
    prefix,
    create: `create${capital}Dataset`,
    get: `get${capital}Dataset`,
    list: `list${capital}Datasets`,
    update: `update${capital}Dataset`,
    remove: `delete${capital}Dataset`,
    upsert: `upsertDataset${capital}s`,
    getRecord: `getDataset${capital}`,
    listRecords: `listDataset${capital}s`,
    datasetId: `${kind}_dataset_id`,
    datasets: `${kind}_datasets`,
    records: `${kind}s`,
    id: `${kind}_id`,
  }) as const;

type KindNames = ReturnType<typeof names>;

export const namesOf: Record<DatasetKind, KindNames> = {
  user: names('user', 'User', 'uds_'),
  item: names('item', 'Item', 'ids_'),
  event: names('event', 'Event', 'eds_'),
};

export const kinds = ['user', 'item', 'event'] as const satisfies DatasetKind[];

/** A valid record of the kind, with overrides. */
export function recordOf(kind: DatasetKind, id: unknown, fields: object = {}): Record<string, unknown> {
  if (kind !== 'event') return { [namesOf[kind].id]: id, ...fields };
  return { event_id: id, user_id: 'u', item_id: 'i', ts: 1000, event_type: 'view', ...fields };
}

/** Valid records with these IDs. */
export const recordsOf = (kind: DatasetKind, ids: readonly string[]) => ids.map((id) => recordOf(kind, id));

export interface UpsertAnswer {
  readonly succeed_ids: string[];
  readonly failed_ids: string[];
  readonly failed_count: number;
  readonly failures: { index: number; id?: string; code: string; message: string }[];
}

export interface DatasetAnswer {
  readonly name: string;
  readonly num_shards: number;
  readonly attribute_schema: Record<string, string> | null;
  readonly record_count: number;
}

/** Calls of one kind, for one caller. Each returns any response, except those that must succeed. */
export class KindCaller {
  readonly kind: DatasetKind;
  readonly names: KindNames;
  readonly #caller: Caller;

  constructor(caller: Caller, kind: DatasetKind) {
    this.#caller = caller;
    this.kind = kind;
    this.names = namesOf[kind];
  }

  async create(fields: object = {}): Promise<Answer<DatasetAnswer & Problem & Record<string, unknown>>> {
    return this.#ask('create', { name: 'a dataset', num_shards: 1, ...fields });
  }

  /** The ID of a new dataset. */
  async createdId(fields: object = {}): Promise<string> {
    const { status, body } = await this.create(fields);
    if (status !== 200) throw new Error(`the dataset was not created: ${JSON.stringify(body)}`);
    return body[this.names.datasetId] as string;
  }

  async get(id: string): Promise<Answer<DatasetAnswer & Problem & Record<string, unknown>>> {
    return this.#ask('get', { [this.names.datasetId]: id });
  }

  async count(id: string): Promise<number> {
    return (await this.get(id)).body.record_count;
  }

  async update(id: string, fields: object): Promise<Answer<DatasetAnswer & Problem>> {
    return this.#ask('update', { [this.names.datasetId]: id, ...fields });
  }

  async remove(id: string): Promise<Answer<DatasetAnswer & Problem>> {
    return this.#ask('remove', { [this.names.datasetId]: id });
  }

  async list(query: object = {}): Promise<Answer<Record<string, unknown> & Problem>> {
    return this.#ask('list', query);
  }

  async upsert(
    id: string,
    records: readonly unknown[],
    fields: object = {},
  ): Promise<Answer<UpsertAnswer & Problem>> {
    return this.#ask('upsert', { [this.names.datasetId]: id, [this.names.records]: records, ...fields });
  }

  async #ask<T>(
    name: 'create' | 'get' | 'list' | 'update' | 'remove' | 'upsert',
    request: object,
  ): Promise<T> {
    return (await this.#caller.ask(this.names[name], request)) as T;
  }
}

/** Reads rows from the database, bypassing the API. */
export async function select<Row>(
  db: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return db.rows<Row>({ name: '', text }, values);
}

export async function projectKeyOf(db: Database, projectId: string): Promise<number> {
  const text = 'SELECT project_key FROM projects WHERE project_id = $1';
  const [row] = await select<{ project_key: number }>(db, text, [projectId]);
  if (!row) throw new Error(`there is no project ${projectId}`);
  return row.project_key;
}

/** Where a dataset's records are stored. */
export async function placeOf(db: Database, datasetId: string) {
  const text = 'SELECT dataset_key, kind, partition FROM datasets WHERE dataset_id = $1';
  type Place = { dataset_key: number; kind: DatasetKind; partition: number };
  const [place] = await select<Place>(db, text, [datasetId]);
  if (!place) throw new Error(`there is no dataset ${datasetId}`);
  return place;
}

/** Sets how many records a dataset counts, bypassing the API: upserts go by the count. */
export async function setCount(db: Database, datasetId: string, count: number): Promise<void> {
  const { dataset_key } = await placeOf(db, datasetId);
  const text =
    'UPDATE dataset_counts SET record_count = CASE slot WHEN 0 THEN $2::int ELSE 0 END WHERE dataset_key = $1';
  await select(db, text, [dataset_key, count]);
}

/** A dataset's records as stored, in byte order of their IDs; each with `id` and the given columns. */
export async function storedRecords(
  db: Database,
  datasetId: string,
  columns = '*',
): Promise<({ id: string } & Record<string, unknown>)[]> {
  const { dataset_key, kind } = await placeOf(db, datasetId);
  const { id, records } = namesOf[kind];
  const text = `SELECT ${columns}, ${id} AS id FROM ${records} WHERE dataset_key = $1 ORDER BY ${id}`;
  return select(db, text, [dataset_key]);
}

/** Stores target events of the year 9999, as releases did that checked no clocks. */
export async function storeFutureEvents(
  { rows }: { rows: (text: string, values: readonly unknown[]) => Promise<unknown> },
  event_dataset_id: string,
  { user_id, item_id, count = 1 }: { user_id: string; item_id: string; count?: number },
): Promise<void> {
  await rows(
    `INSERT INTO events SELECT dataset_key, 'far ' || $2 || n, $2, $3, 253402300799000 - n, 'buy', 1
      FROM datasets, generate_series(1, $4::int) n WHERE dataset_id = $1`,
    [event_dataset_id, user_id, item_id, count],
  );
}
