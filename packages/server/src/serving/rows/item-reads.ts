import { type DatasetLocation, isSameDataset } from '../../datasets/rows/datasets.ts';
import { parseJson } from '../../kernel/lib/json.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { packLists } from '../../kernel/postgres/sql-fragments.ts';
import { statement } from '../../kernel/postgres/statement.ts';

type Attributes = Record<string, unknown>;

/** The attributes to read: some, or all. With none, only the existence of items is read. */
export type ItemFields = readonly string[] | 'all';

/** The most bytes of JSON per statement; the caller asks for the rest again. A record has at most 256 KiB. */
const maxBytes = 4 * 1024 * 1024;
/** Beyond this, reading whole records is cheaper: PostgreSQL decompresses the record once per attribute. */
const maxNames = 8;

/** Smaller records are read whole: extracting attributes would take PostgreSQL longer. */
const smallBytes = 1000;

/** An item's record as read. Parsed on first use, since that takes milliseconds for a large record. */
export class StoredItem {
  readonly #fields: ItemFields;
  #text: string | null;
  #attributes: Attributes | undefined;
  /** Length of the JSON. */
  readonly length: number;
  /** False if the item did not fit into the statement's bytes. */
  readonly isRead: boolean;

  constructor(fields: ItemFields, text: string | null) {
    this.#fields = fields;
    this.#text = text;
    this.length = text?.length ?? 0;
    this.isRead = text !== null;
  }

  /** The requested attributes; small records may have others too. Null means absent. */
  get attributes(): Attributes {
    if (this.#attributes) return this.#attributes;
    const value = this.#text ? parseJson(this.#text) : {};
    this.#attributes = Array.isArray(value) ? this.#toAttributes(value) : (value as Attributes);
    this.#text = null;
    return this.#attributes;
  }

  #toAttributes(values: readonly unknown[]): Attributes {
    return Object.fromEntries(values.map((value, index) => [this.#fields[index] ?? '', value]));
  }
}

/** The SQL expression that reads the fields; `names` is the parameter with their names. */
function columnOf(fields: ItemFields, names: string): string {
  if (fields === 'all') return 'i.attributes::text';
  if (fields.length === 0) return `''`;
  const values = fields.map((_, index) => `i.attributes -> (${names}::text[])[${index + 1}]`);
  return `CASE WHEN pg_column_size(i.attributes) < ${smallBytes} THEN i.attributes::text
    ELSE json_build_array(${values.join(', ')})::text END`;
}

const statementFields = (fields: ItemFields): ItemFields => (fields.length > maxNames ? 'all' : fields);

/** Null for every item after the byte limit is reached; the first item always fits. */
const cappedFields = (bytes: string, window: string) =>
  `CASE WHEN sum(octet_length(fields)) OVER (${window} ROWS UNBOUNDED PRECEDING) - octet_length(fields) < ${bytes}
    THEN fields END AS fields`;

export interface ItemsRequest {
  readonly items: DatasetLocation;
  readonly ids: readonly string[];
  readonly fields: ItemFields;
}

const readStatement = statement(
  'read_items',
  `SELECT asked.n::int, found.found_id AS item_id, ${cappedFields('$9', 'PARTITION BY asked.n ORDER BY found.place')}
    FROM unnest($1::int[], $2::int[], $3::text[], $4::int[], $5::int[], $6::int[], $7::int[]) WITH ORDINALITY
        AS asked (part, key, id, first, last, first_name, last_name, n),
      LATERAL read_items(asked.part, asked.key, ($8::text[])[asked.first:asked.last],
        ($10::text[])[asked.first_name:asked.last_name]) WITH ORDINALITY AS found (found_id, fields, place)
    WHERE ${isSameDataset('asked.key', 'asked.id')}`,
);

/**
 * Reads items by primary key, for each request; missing items are absent from its map. Items at the end of a request that
 * do not fit into its share of the statement's bytes are present but not read. One statement for items of any datasets.
 */
export async function readItemsOf(
  db: Queryable,
  requests: readonly ItemsRequest[],
): Promise<Map<string, StoredItem>[]> {
  const fields = requests.map((request) => statementFields(request.fields));
  const ids = packLists(requests.map((request) => request.ids));
  const names = packLists(fields.map((each) => (each === 'all' ? [] : each)));
  const rows = await db.rows<{ n: number; item_id: string; fields: string | null }>(readStatement, [
    requests.map(({ items }) => items.partition),
    requests.map(({ items }) => items.key),
    requests.map(({ items }) => items.id),
    ids.firsts,
    ids.lasts,
    // A slice with an unknown end is null: no names, so all attributes.
    fields.map((each, index) => (each === 'all' ? null : (names.firsts[index] ?? null))),
    names.lasts,
    ids.all,
    Math.floor(maxBytes / Math.max(1, requests.length)),
    names.all,
  ]);
  const found = fields.map(() => new Map<string, StoredItem>());
  for (const row of rows)
    found[row.n - 1]?.set(row.item_id, new StoredItem(fields[row.n - 1] ?? 'all', row.fields));
  return found;
}

/** The same for one request. */
export async function readItems(
  db: Queryable,
  items: DatasetLocation,
  ids: readonly string[],
  fields: ItemFields = 'all',
): Promise<Map<string, StoredItem>> {
  const [found = new Map<string, StoredItem>()] = await readItemsOf(db, [{ items, ids, fields }]);
  return found;
}

export interface ItemPage {
  readonly items: readonly (readonly [string, StoredItem])[];
  /** Whether this is the catalogue's last page. */
  readonly isLast: boolean;
}

/** One page of the catalogue in ID order, by primary key: up to `size` items, as many as fit into a statement's bytes. */
export async function readItemsAfter(
  db: Queryable,
  { id, key, table }: DatasetLocation,
  { afterId, size, requestedFields = 'all' }: { afterId: string; size: number; requestedFields?: ItemFields },
): Promise<ItemPage> {
  const fields = statementFields(requestedFields);
  const rows = await db.rows<{ item_id: string; fields: string | null }>(
    {
      name: `read_items_after_${table}_${fields === 'all' ? 'all' : fields.length}`,
      text: `SELECT item_id, ${cappedFields('$5', 'ORDER BY item_id')} FROM (
        SELECT i.item_id, ${columnOf(fields, '$6')} AS fields FROM ${table} i
        WHERE i.dataset_key = $1 AND i.item_id > $2 AND ${isSameDataset('$1', '$4')}
        ORDER BY i.item_id LIMIT $3) page ORDER BY item_id`,
    },
    [key, afterId, size, id, maxBytes, ...(fields !== 'all' && fields.length > 0 ? [fields] : [])],
  );
  const cut = rows.findIndex((row) => row.fields === null);
  const items = (cut === -1 ? rows : rows.slice(0, cut)).map(
    (row) => [row.item_id, new StoredItem(fields, row.fields)] as const,
  );
  return { items, isLast: cut === -1 && rows.length < size };
}
