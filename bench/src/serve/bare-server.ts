import fastify from 'fastify';
import pg from 'pg';

/**
 * The minimum that any recommendation service on PostgreSQL has to do: parse a body, read the user's record and newest events,
 * read the records of twenty items, and write a response. `/static` reads nothing.
 */
const [databaseUrl = '', tables = '', response = ''] = process.argv.slice(2);
const { users, items, events, ids } = JSON.parse(tables) as {
  users: { key: number; table: string };
  items: { key: number; table: string };
  events: { key: number; table: string };
  ids: string[];
};
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 });
const app = fastify();
const stored: unknown = JSON.parse(response);
let offset = 0;

app.post('/static', async () => stored);

app.post('/reads', async (request) => {
  const { user_id, limit, attributes } = request.body as {
    user_id: string;
    limit: number;
    attributes: string[];
  };
  const user = await pool.query<{ attributes: unknown; events: string | null }>({
    name: 'user',
    text: `SELECT (SELECT attributes FROM ${users.table} WHERE dataset_key = $1 AND user_id = $3) AS attributes,
      (SELECT string_agg(e.item_id || ' ' || e.event_type || ' ' || e.event_value, ' ') FROM (
        SELECT item_id, event_type, event_value FROM ${events.table} WHERE dataset_key = $2 AND user_id = $3
        ORDER BY ts DESC LIMIT 1000) e) AS events`,
    values: [users.key, events.key, user_id],
  });
  const from = (offset += limit) % (ids.length - limit);
  const found = await pool.query<{ item_id: string; attributes: Record<string, unknown> }>({
    name: 'items',
    text: `SELECT item_id, attributes FROM ${items.table} WHERE dataset_key = $1 AND item_id = ANY($2::text[])`,
    values: [items.key, ids.slice(from, from + limit)],
  });
  const results = found.rows.map(({ item_id, attributes: all }) => ({
    item: { item_id, ...Object.fromEntries(attributes.map((name) => [name, all[name] ?? null])) },
  }));
  return { user_id, limit, attributes, filter_query: null, results, read: user.rows.length };
});

const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${new URL(address).port}\n`);
