import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { build, dist, formatHost } from './build.ts';
import { packAndInstall } from './pack.ts';

/** Packs the SDK as npm would, and checks the package as a user would install it. */
const workspace = mkdtempSync(join(tmpdir(), 'tastegraph-sdk-'));
try {
  build();
  checkImports();
  const tarball = pack();
  run('publint', ['run', '--strict', fileURLToPath(dist)]);
  // ESM only: Node 20.19 and later can also load it with require().
  run('attw', [tarball, '--profile', 'esm-only']);
  checkReadme();
} finally {
  rmSync(workspace, { recursive: true });
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** The package may import only its own files, so that it runs on any runtime with fetch. */
function checkImports(): void {
  for (const file of globSync('**/*.js', { cwd: fileURLToPath(dist) })) {
    const { importedFiles } = ts.preProcessFile(readFileSync(new URL(file, dist), 'utf8'), true, true);
    for (const { fileName } of importedFiles)
      if (!fileName.startsWith('.')) throw new Error(`dist/${file} imports ${fileName}.`);
  }
}

/** Packs and installs the package, and returns the path of the tarball. Without dependencies, unpacking is enough. */
function pack(): string {
  const { entry, tarball } = packAndInstall(fileURLToPath(dist), '@tastegraph/sdk', workspace);
  const code = globSync('**/*.js', { cwd: fileURLToPath(dist) }).map(
    (file) => statSync(new URL(file, dist)).size,
  );
  const total = code.reduce((sum, size) => sum + size, 0);
  console.log(
    `${entry.filename}: ${entry.entryCount} files, ${entry.size} bytes packed, ${entry.unpackedSize} unpacked, of which ${total} JavaScript`,
  );
  return tarball;
}

/** Compiles the code of the README as one program, with every kind of module resolution. */
function checkReadme(): void {
  const page = readFileSync(new URL('README.md', dist), 'utf8');
  const program = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code).join('\n');
  writeFileSync(join(workspace, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(workspace, 'readme.ts'), `${program}\nexport {};\n`);
  for (const moduleResolution of ['node16', 'nodenext', 'bundler', 'node10']) {
    const { options } = ts.convertCompilerOptionsFromJson(
      {
        module:
          moduleResolution === 'node16' || moduleResolution === 'nodenext' ? moduleResolution : 'esnext',
        moduleResolution,
        ...(moduleResolution === 'node10' && { ignoreDeprecations: '6.0' }),
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
      },
      workspace,
    );
    const problems = ts.getPreEmitDiagnostics(ts.createProgram([join(workspace, 'readme.ts')], options));
    if (problems.length > 0)
      throw new Error(`${moduleResolution}: ${ts.formatDiagnostics(problems, formatHost)}`);
    console.log(`README.md compiles with moduleResolution ${moduleResolution}`);
  }
}
