import type pg from 'pg';

export interface ShopSize {
  readonly users: number;
  readonly items: number;
  readonly events: number;
}

export interface ShopDatasets {
  readonly user_dataset_id: string;
  readonly item_dataset_id: string;
  readonly event_dataset_id: string;
}

/** Groups of similar items. 80 % of a user's purchases are from one group. */
const groups = 400;

/** SQL: a pseudorandom number from 0 to 1, determined by n and the seed. */
const random = (seed: number) =>
  `((hashint8extended(n, ${seed}) & 9007199254740991)::float8 / 9007199254740992)`;

/**
 * Fills the datasets with a synthetic shop: popularity with a long tail, tastes by group, prices and categories to filter by.
 * Deterministic. Written by SQL, because `bench -- ingest` already measures the API.
 */
export async function fillShop(admin: pg.Client, datasets: ShopDatasets, size: ShopSize): Promise<void> {
  const perGroup = Math.floor(size.items / groups);
  const fill = async (kind: 'user' | 'item' | 'event', count: number, select: string) => {
    const { rows } = await admin.query<{ dataset_key: number; partition: number }>(
      'SELECT dataset_key, partition FROM datasets WHERE dataset_id = $1',
      [datasets[`${kind}_dataset_id`]],
    );
    const { dataset_key = 0, partition = 0 } = rows[0] ?? {};
    const table = `${kind}s_p${String(partition).padStart(2, '0')}`;
    await admin.query(
      `INSERT INTO ${table} SELECT ${dataset_key}, ${select} FROM generate_series(1, ${count}::bigint) n`,
    );
    await admin.query(
      'UPDATE dataset_counts SET record_count = record_count + $2 WHERE dataset_key = $1 AND slot = 0',
      [dataset_key, count],
    );
    await admin.query(`VACUUM ANALYZE ${table}`);
  };
  await fill('user', size.users, `'u' || n, jsonb_build_object('country', 'c' || (n % 40))`);
  await fill(
    'item',
    size.items,
    `'i' || n, jsonb_build_object('title', 'Thing number ' || n, 'price', (n * 7919 % 10000) / 100.0,
      'category', 'g' || ((n - 1) / ${perGroup}), 'tags', jsonb_build_array('t' || (n % 97), 't' || (n % 89)))`,
  );
  const user = `(n % ${size.users} + 1)`;
  const group = `CASE WHEN ${random(1)} < 0.8 THEN ${user} * 2654435761 % ${groups} ELSE floor(${random(2)} * ${groups}) END`;
  await fill(
    'event',
    size.events,
    `'e' || n, 'u' || ${user}, 'i' || (1 + ((${group})::bigint * ${perGroup} + floor(power(${random(3)}, 3) * ${perGroup})::bigint)),
      1700000000000 + n * 100, 'buy', 1, NULL`,
  );
}
