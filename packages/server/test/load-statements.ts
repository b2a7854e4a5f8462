import { glob } from 'node:fs/promises';
import type { Statement } from '../src/kernel/postgres/pool.ts';
import { listStatements } from '../src/kernel/postgres/statement.ts';

const source = new URL('../src/', import.meta.url);
/** Where modules and the kernel keep their statements. */
const files = ['**/{rows,account}.ts', '**/rows/*.ts', 'kernel/{postgres,objects}/*.ts'];

/** Every statement that is declared by name. */
export async function loadStatements(): Promise<readonly Statement[]> {
  for await (const file of glob(files, { cwd: source.pathname })) await import(new URL(file, source).href);
  return listStatements();
}
