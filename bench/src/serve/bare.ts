import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BenchEnvironment } from '../environment.ts';

/** The tables with the project's records, and the IDs of items to read. */
export async function findTables(admin: BenchEnvironment['admin'], projectId: string) {
  const { rows } = await admin.query<{ key: number; partition: number; kind: string }>(
    `SELECT d.dataset_key AS key, d.partition, d.kind FROM projects p
      JOIN datasets d ON d.dataset_key IN (p.user_dataset_key, p.item_dataset_key, p.event_dataset_key)
      WHERE p.project_id = $1`,
    [projectId],
  );
  const tableOf = (kind: string) => {
    const { key = 0, partition = 0 } = rows.find((row) => row.kind === kind) ?? {};
    return { key, table: `${kind}s_p${String(partition).padStart(2, '0')}` };
  };
  const items = tableOf('item');
  const some = `SELECT item_id FROM ${items.table} WHERE dataset_key = $1 ORDER BY hashtext(item_id) LIMIT 2000`;
  const { rows: ids } = await admin.query<{ item_id: string }>(some, [items.key]);
  return { users: tableOf('user'), items, events: tableOf('event'), ids: ids.map(({ item_id }) => item_id) };
}

/** The same calls to a server that only reads what it must, or nothing. */
export async function startBare(databaseUrl: string, tables: object, response: string) {
  const script = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
  const args = ['--max-semi-space-size=64', script, databaseUrl, JSON.stringify(tables), response];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    port: Number(line),
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
