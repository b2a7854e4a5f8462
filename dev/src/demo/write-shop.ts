import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Shop } from './shop/generate-shop.ts';

/** Writes one record per line. */
export async function writeShop(folder: string, { readers, books, events }: Shop): Promise<void> {
  await mkdir(folder, { recursive: true });
  const users = readers.map(({ user_id, attributes }) => ({ user_id, attributes }));
  for (const [name, records] of Object.entries({ users, items: books, events })) {
    const file = join(folder, `${name}.ndjson`);
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    console.log(`wrote ${records.length.toLocaleString('en')} ${name} to ${file}`);
  }
}
