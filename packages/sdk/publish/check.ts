import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { build, dist, formatHost } from './build.ts';
import { packAndInstall } from './pack.ts';

/** Packs the SDK as npm would publish it, and checks what a stranger who installs it would meet. */
const workplace = mkdtempSync(join(tmpdir(), 'tastegraph-sdk-'));
try {
  build();
  checkImports();
  const tarball = pack();
  run('publint', ['run', '--strict', fileURLToPath(dist)]);
  // ESM alone: Node 20.19 and later load it with require() as well.
  run('attw', [tarball, '--profile', 'esm-only']);
  checkReadme();
} finally {
  rmSync(workplace, { recursive: true });
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Nothing but its own files: no module of Node, no dependency, so that it runs wherever there is fetch. */
function checkImports(): void {
  for (const file of globSync('**/*.js', { cwd: fileURLToPath(dist) })) {
    const { importedFiles } = ts.preProcessFile(readFileSync(new URL(file, dist), 'utf8'), true, true);
    for (const { fileName } of importedFiles)
      if (!fileName.startsWith('.')) throw new Error(`dist/${file} imports ${fileName}.`);
  }
}

/** The tarball's path; installs it in the workplace as well. It has no dependencies, so that unpacking it is all. */
function pack(): string {
  const { entry, tarball } = packAndInstall(fileURLToPath(dist), '@tastegraph/sdk', workplace);
  const code = globSync('**/*.js', { cwd: fileURLToPath(dist) }).map(
    (file) => statSync(new URL(file, dist)).size,
  );
  const total = code.reduce((sum, size) => sum + size, 0);
  console.log(
    `${entry.filename}: ${entry.entryCount} files, ${entry.size} bytes packed, ${entry.unpackedSize} unpacked, of which ${total} JavaScript`,
  );
  return tarball;
}

/** What the README shows compiles, as one program in the order of the page, under every way to resolve modules. */
function checkReadme(): void {
  const page = readFileSync(new URL('README.md', dist), 'utf8');
  const program = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code).join('\n');
  writeFileSync(join(workplace, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(workplace, 'readme.ts'), `${program}\nexport {};\n`);
  for (const way of ['node16', 'nodenext', 'bundler', 'node10']) {
    const { options } = ts.convertCompilerOptionsFromJson(
      {
        module: way === 'node16' || way === 'nodenext' ? way : 'esnext',
        moduleResolution: way,
        ...(way === 'node10' && { ignoreDeprecations: '6.0' }),
        ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
        ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true },
      },
      workplace,
    );
    const problems = ts.getPreEmitDiagnostics(ts.createProgram([join(workplace, 'readme.ts')], options));
    if (problems.length > 0) throw new Error(`${way}: ${ts.formatDiagnostics(problems, formatHost)}`);
    console.log(`README.md compiles under moduleResolution ${way}`);
  }
}
