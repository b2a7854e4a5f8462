import { isDeepStrictEqual } from 'node:util';
import type { DatasetKind, Response } from '@tastegraph/contract';
import type pg from 'pg';
import { parseJson } from '../../src/lib/json.ts';
import type { SentRecord } from './fuzz-records.ts';

const idFields = { event: 'event_id', user: 'user_id', item: 'item_id' } as const;
type Outcome = Pick<Response<'upsertDatasetUsers'>, 'succeed_ids' | 'failed_ids' | 'failures'>;
type Fields = Record<string, unknown>;

/** What a dataset must hold after the upserts it was sent, to the letter. */
export class FuzzLedger {
  readonly #kind: DatasetKind;
  readonly #datasetId: string;
  readonly #sql: pg.Pool;
  readonly #stored = new Map<string, Fields>();

  constructor(sql: pg.Pool, kind: DatasetKind, datasetId: string) {
    this.#sql = sql;
    this.#kind = kind;
    this.#datasetId = datasetId;
  }

  /** Takes in a call and its answer; answers what is wrong with it, and with what PostgreSQL now holds. */
  async judge(records: readonly SentRecord[], outcome: Outcome): Promise<string[]> {
    const idField = idFields[this.#kind];
    const wrong: string[] = [];
    const last = new Map<string, { sent: SentRecord; fields: Fields }>();
    let nameless = 0;
    for (const sent of records) {
      const fields = parseJson(sent.json) as Fields | null;
      const id = fields?.[idField];
      if (typeof id !== 'string') nameless++;
      else {
        // Set anew, so that the order is that of the last record with the id.
        last.delete(id);
        last.set(id, { sent, fields: fields ?? {} });
      }
    }
    const succeeded = new Set(outcome.succeed_ids);
    const inOrder = (ids: Iterable<string>, of: boolean) => [...ids].filter((id) => succeeded.has(id) === of);
    if (!isDeepStrictEqual(outcome.succeed_ids, inOrder(last.keys(), true))) wrong.push('succeed_ids');
    if (!isDeepStrictEqual(outcome.failed_ids, inOrder(last.keys(), false))) wrong.push('failed_ids');
    if (outcome.failures.length !== outcome.failed_ids.length + nameless) wrong.push('failures');
    for (const [id, { sent, fields }] of last) {
      if (sent.succeeds !== undefined && sent.succeeds !== succeeded.has(id)) {
        wrong.push(
          `${sent.succeeds ? 'a good record failed' : 'a bad record succeeded'}: ${sent.json.slice(0, 300)}`,
        );
      }
      if (succeeded.has(id)) this.#stored.set(id, valueOf(this.#kind, fields));
    }
    return [...wrong, ...(await this.#compare([...last.keys()]))];
  }

  async #compare(ids: readonly string[]): Promise<string[]> {
    const storable = ids.filter((id) => !id.includes('\0') && id.isWellFormed());
    const found = new Map((await this.#read(storable)).map(({ id, ...fields }) => [id as string, fields]));
    return ids.flatMap((id) => differences(id, found.get(id), this.#stored.get(id)));
  }

  /** Records that PostgreSQL holds, and that it should. */
  async counts(): Promise<{ real: number; expected: number }> {
    const { rows } = await this.#sql.query<{ real: number }>(
      `SELECT count(*)::int AS real FROM ${this.#kind}s JOIN datasets USING (dataset_key) WHERE dataset_id = $1`,
      [this.#datasetId],
    );
    return { real: rows[0]?.real ?? -1, expected: this.#stored.size };
  }

  async #read(ids: readonly string[]): Promise<Fields[]> {
    const columns = {
      event: `event_id AS id, user_id, item_id, ts::float8, event_type, event_value, coalesce(attributes, '{}') AS attributes`,
      user: 'user_id AS id, attributes',
      item: 'item_id AS id, attributes',
    }[this.#kind];
    const { rows } = await this.#sql.query<Fields>(
      `SELECT ${columns} FROM ${this.#kind}s JOIN datasets USING (dataset_key)
       WHERE dataset_id = $1 AND ${idFields[this.#kind]} = ANY ($2)`,
      [this.#datasetId, ids],
    );
    return rows;
  }
}

/** A record's value but for its id, with the defaults; JSON has no -0. */
function valueOf(kind: DatasetKind, { attributes = {}, event_value = 1, ...fields }: Fields): Fields {
  if (kind !== 'event') return { attributes: plain(attributes) };
  const { user_id, item_id, ts, event_type } = fields;
  return {
    user_id,
    item_id,
    ts: plain(ts),
    event_type,
    event_value: plain(event_value),
    attributes: plain(attributes),
  };
}

function plain(value: unknown): unknown {
  return parseJson(JSON.stringify(value));
}

function differences(id: string, found: Fields | undefined, expected: Fields | undefined): string[] {
  const fields = Object.keys({ ...found, ...expected });
  return fields
    .filter((field) => !isDeepStrictEqual(found?.[field], expected?.[field]))
    .map((field) => {
      const [stored = '', sent = ''] = [found, expected].map((record) =>
        JSON.stringify(record?.[field] ?? null),
      );
      return `${JSON.stringify(id)}: ${field} is stored as ${stored.slice(0, 1000)}, not ${sent.slice(0, 1000)}`;
    });
}
