import { fileURLToPath } from 'node:url';
import { writeGenerated } from '@tastegraph/dev/generated-files';

interface Compiler {
  readonly main: (
    options: readonly string[],
    system: {
      readonly stderr: NodeJS.WritableStream;
      readonly writeFile: (name: string, code: Uint8Array) => void;
    },
  ) => Promise<{ readonly error: Error | null }>;
}

// Without its own types, which declare the globals of another platform.
const { main } = (await import(import.meta.resolve('assemblyscript/asc'))) as Compiler;

/**
 * Compiles the kernels in `assembly/` into TypeScript files that embed them. Those files are committed, so that running
 * them needs no compiler and bundling them needs no loader.
 */
async function compile(name: string): Promise<Buffer> {
  let code: Uint8Array | undefined;
  const options = [
    `${name}.ts`,
    '--baseDir',
    fileURLToPath(new URL('./assembly', import.meta.url)),
    '--outFile',
    'out.wasm',
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
  ];
  const { error } = await main(options, {
    stderr: process.stderr,
    writeFile: (_, compiled) => {
      code = compiled;
    },
  });
  if (error || code === undefined) throw error ?? new Error(`${name}.ts gave no code`);
  return Buffer.from(code);
}

const generated = async (
  name: string,
) => `// Generated from assembly/${name}.ts by npm run generate; do not edit.
export const ${name}Code =
  '${(await compile(name)).toString('base64')}';
`;

writeGenerated({
  'packages/algorithms/src/g1/fit/cooccurrence-code.ts': await generated('cooccurrence'),
  'packages/algorithms/src/low-rank/factors-code.ts': await generated('factors'),
  'packages/algorithms/src/low-rank/rerank-code.ts': await generated('rerank'),
  'packages/algorithms/src/g1/fit/regression-code.ts': await generated('regression'),
});
