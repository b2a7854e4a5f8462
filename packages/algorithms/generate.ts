import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeGenerated } from '@tastegraph/dev/generated-files';

/**
 * Compiles the kernels in `assembly/` into TypeScript files that embed them. Those files are committed, so that running
 * them needs no compiler and bundling them needs no loader.
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
    '--enable',
    'simd',
  ]);
  const code = readFileSync(out);
  rmSync(place, { recursive: true });
  return code;
}

const generated = (name: string) => `// Generated from assembly/${name}.ts by npm run generate; do not edit.
export const ${name}Code =
  '${compile(name).toString('base64')}';
`;

writeGenerated({
  'packages/algorithms/src/g1/fit/cooccurrence-code.ts': generated('cooccurrence'),
  'packages/algorithms/src/low-rank/factors-code.ts': generated('factors'),
  'packages/algorithms/src/low-rank/rerank-code.ts': generated('rerank'),
  'packages/algorithms/src/g1/fit/regression-code.ts': generated('regression'),
});
