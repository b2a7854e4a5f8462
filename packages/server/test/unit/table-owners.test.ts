import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modules } from '../../src/processes/modules.ts';
import { writtenTables } from './written-tables.ts';

const root = new URL('../../', import.meta.url).pathname;
const schema = readFileSync(`${root}schema.sql`, 'utf8');
const tables = new Set(
  Array.from(schema.matchAll(/CREATE TABLE (?:public\.)?(\w+) /g), ([, table = '']) => table).filter(
    (table) => !/_p\d+$/.test(table),
  ),
);

/** Tables of the kernel and of the processes: any module may use them through the functions there. */
const shared: Readonly<Record<string, string>> = {
  periodic_tasks: 'kernel',
  secrets: 'kernel',
  loose_objects: 'kernel',
  schema_migrations: 'processes',
};

/** Writes of a module to a table of another one, and why they are not a call of its owner. */
const foreign: Readonly<Record<string, string>> = {
  'projects → accounts':
    'the default project is a column of its account, and changes with the project in one statement',
  'jobs → projects':
    'the last cluster ID must outlive the job that used it, in the statement that deletes the job',
  'outcomes → dataset_counts': 'takes and clears the changed days in one statement, so that none is lost',
  'batches → loose_objects': 'a file becomes orphaned in the statement that removes its row',
  'jobs → loose_objects': 'a file becomes orphaned in the statement that removes its row',
  'outcomes → loose_objects': 'a file becomes orphaned in the statement that removes its row',
  'projects → loose_objects': 'a file becomes orphaned in the statement that removes its row',
};

test('every table has one owner', () => {
  const owned = [...modules.flatMap((module) => module.tables), ...Object.keys(shared)];
  expect(owned.toSorted()).toEqual([...tables].toSorted());
});

test('a table is written by its owner alone, but for what is named here', () => {
  const ownerOf = new Map(modules.flatMap(({ name, tables: own }) => own.map((table) => [table, name])));
  for (const [table, owner] of Object.entries(shared)) ownerOf.set(table, owner);
  const found = new Set<string>();
  for (const file of globSync('src/*/**/*.ts', { cwd: root })) {
    const [, folder = ''] = file.split('/');
    const text = readFileSync(`${root}${file}`, 'utf8');
    const removed = Array.from(text.matchAll(/\bownRows\('(\w+)'/g), ([, table = '']) => table);
    for (const table of [...writtenTables(text), ...removed])
      if (tables.has(table) && ownerOf.get(table) !== folder) found.add(`${folder} → ${table}`);
  }
  expect([...found].toSorted()).toEqual(Object.keys(foreign).toSorted());
});
