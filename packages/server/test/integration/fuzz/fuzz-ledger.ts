import { isDeepStrictEqual } from 'node:util';
import type { DatasetKind, Response } from '@tastegraph/contract';
import type pg from 'pg';
import { parseJson } from '../../../src/kernel/lib/json.ts';
import type { SentRecord } from './fuzz-records.ts';

const idFields = { event: 'event_id', user: 'user_id', item: 'item_id' } as const;
type Outcome = Pick<
  Response<'upsertDatasetUsers'>,
  'succeed_ids' | 'failed_ids' | 'failed_count' | 'failures'
>;
type Fields = Record<string, unknown>;

/** Tracks exactly what a dataset must contain after the upserts sent to it. */
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

  /** Adds a call and its response. Returns what is wrong with the response or with the stored records. */
  async judge(
    records: readonly SentRecord[],
    outcome: Outcome,
    mode: 'REPLACE' | 'MERGE' = 'REPLACE',
  ): Promise<string[]> {
    const idField = idFields[this.#kind];
    const wrong: string[] = [];
    const last = new Map<string, { sent: SentRecord; parts: Fields[] }>();
    let nameless = 0;
    for (const sent of records) {
      const fields = parseJson(sent.json) as Fields | null;
      const sentId = fields?.[idField];
      // A numeric ID fails, and is reported as text.
      const id = typeof sentId === 'number' ? String(sentId) : sentId;
      if (typeof id !== 'string') nameless++;
      else {
        // Re-inserted, so that the order is that of the last record with the ID.
        const earlier = mode === 'MERGE' ? (last.get(id)?.parts ?? []) : [];
        last.delete(id);
        last.set(id, { sent, parts: [...earlier, fields ?? {}] });
      }
    }
    const succeeded = new Set(outcome.succeed_ids);
    const inOrder = (ids: Iterable<string>, of: boolean) => [...ids].filter((id) => succeeded.has(id) === of);
    if (!isDeepStrictEqual(outcome.succeed_ids, inOrder(last.keys(), true))) wrong.push('succeed_ids');
    // Of several merged records, the failure has the index of the invalid one.
    const failedIds = mode === 'MERGE' ? outcome.failed_ids.toSorted() : outcome.failed_ids;
    const expectedIds = inOrder(last.keys(), false);
    if (!isDeepStrictEqual(failedIds, mode === 'MERGE' ? expectedIds.toSorted() : expectedIds))
      wrong.push('failed_ids');
    if (outcome.failures.length !== outcome.failed_ids.length + nameless) wrong.push('failures');
    if (outcome.failed_count !== outcome.failures.length) wrong.push('failed_count');
    for (const [id, { sent, parts }] of last) {
      // A merge fails with any of its parts. Fields that it lacks, or has as null, may already exist.
      const isOpen = mode === 'MERGE' && (parts.length > 1 || sent.json.includes('null'));
      if (!isOpen && sent.succeeds !== undefined && sent.succeeds !== succeeded.has(id)) {
        wrong.push(
          `${sent.succeeds ? 'a good record failed' : 'a bad record succeeded'}: ${sent.json.slice(0, 300)}`,
        );
      }
      if (!succeeded.has(id)) continue;
      const before = mode === 'MERGE' ? this.#stored.get(id) : undefined;
      const merged = mode === 'MERGE' ? parts.reduce(mergedWith, before ?? {}) : (parts[0] ?? {});
      this.#stored.set(id, valueOf(this.#kind, merged));
    }
    return [...wrong, ...(await this.#compare([...last.keys()]))];
  }

  async #compare(ids: readonly string[]): Promise<string[]> {
    const storable = ids.filter((id) => !id.includes('\0') && id.isWellFormed());
    const found = new Map((await this.#read(storable)).map(({ id, ...fields }) => [id as string, fields]));
    return ids.flatMap((id) => differences(id, found.get(id), this.#stored.get(id)));
  }

  /** The stored records and the expected records. */
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

/** The result of a MERGE: fields and attributes that are not null are set, and a null attribute is removed. */
function mergedWith(before: Fields, { attributes, ...fields }: Fields): Fields {
  const set = Object.entries(fields).filter(([, value]) => value !== null);
  const both = { ...(before['attributes'] as Fields | undefined), ...(attributes as Fields | null) };
  const kept = Object.entries(both).filter(([name, value]) => {
    const isSent = typeof attributes === 'object' && attributes !== null && Object.hasOwn(attributes, name);
    return !(isSent && value === null);
  });
  return { ...before, ...Object.fromEntries(set), attributes: Object.fromEntries(kept) };
}

/** A record without its ID, with defaults. JSON has no -0. */
function valueOf(kind: DatasetKind, { attributes: given, event_value: value, ...fields }: Fields): Fields {
  const attributes = given ?? {};
  const event_value = value ?? 1;
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
