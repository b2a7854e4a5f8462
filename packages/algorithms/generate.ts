import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Compiles the kernels in `assembly/` into TypeScript files that embed them. Those files are committed, so that running
 * them needs no compiler and bundling them needs no loader. `--check` reports whether they are up to date.
 */
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

function compile(name: string): Buffer {
  const place = mkdtempSync(join(tmpdir(), 'kernel-'));
  const out = join(place, 'out.wasm');
  const compiler = fileURLToPath(import.meta.resolve('assemblyscript/bin/asc.js'));
  execFileSync(process.execPath, [
    compiler,
    `${name}.ts`,
    '--baseDir',
    path('./assembly'),
    '--outFile',
    out,
    '-O3',
    '--noAssert',
    // No allocator and no start code. The caller provides the memory; it is shared between threads and may grow to the
    // 4 GiB that 32-bit addresses reach.
    '--runtime',
    'stub',
    '--use',
    'abort=',
    '--importMemory',
    '--sharedMemory',
    '--maximumMemory',
    '65536',
    '--enable',
    'threads',
    '--enable',
    'bulk-memory',
  ]);
  const code = readFileSync(out);
  rmSync(place, { recursive: true });
  return code;
}

for (const name of ['cooccurrence', 'regression']) {
  const file = path(`./src/g1/${name}-code.ts`);
  const made = `// Generated from assembly/${name}.ts by npm run generate; do not edit.
export const ${name}Code =
  '${compile(name).toString('base64')}';
`;
  if (existsSync(file) && readFileSync(file, 'utf8') === made) continue;
  if (process.argv.includes('--check')) {
    console.error(`packages/algorithms/src/g1/${name}-code.ts is not current: npm run generate`);
    process.exitCode = 1;
  } else writeFileSync(file, made);
}
