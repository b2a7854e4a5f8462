import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * `node dev/src/count-lines.ts`: the lines that people write, per area, as `wc -l` counts them. What is generated comes from the generators
 * themselves, so that nothing else can be taken out. Fails if one of these files is not in the repository.
 */
const root = new URL('../../', import.meta.url);
const run = (command: string, args: readonly string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  scripts: { generate: string };
};
const generators = scripts.generate.split(' && ').map((command) => command.replace(/^node /, ''));
/** Files of other tools: npm's lock, the dump of `npm run schema`, and a copy of a generated file. */
const written = [
  'package-lock.json',
  'packages/server/schema.sql',
  'packages/contract/released/openapi.json',
];
const generated = new Set([
  ...written,
  ...generators.flatMap((generator) => run(process.execPath, [generator, '--list']).trim().split('\n')),
]);

const areas = { source: 0, tests: 0, pages: 0, other: 0 };
const server = { files: 0, lines: 0 };
const files = run('git', ['ls-files', '-z']).split('\0').filter(Boolean);
const missing = [...generated].filter((path) => !files.includes(path));
for (const path of files) {
  const area = areaOf(path);
  if (area === undefined || generated.has(path)) continue;
  const lines = readFileSync(new URL(path, root), 'utf8').split('\n').length - 1;
  areas[area] += lines;
  if (!path.startsWith('packages/server/src/')) continue;
  server.files += 1;
  server.lines += lines;
}

/** By what a file is for. Pictures and fonts have no lines. */
function areaOf(path: string): keyof typeof areas | undefined {
  if (/\.(webp|png|svg|ico|woff2)$/.test(path)) return undefined;
  if (/\.(md|ipynb)$/.test(path)) return 'pages';
  if (/(^|\/)(tests?|acceptance)\//.test(path)) return 'tests';
  return /\.(tsx?|mjs|js|py|sql|sh|css|html)$/.test(path) ? 'source' : 'other';
}

const total = Object.values(areas).reduce((sum, lines) => sum + lines, 0);
const print = (name: string, lines: number) =>
  console.log(`${lines.toLocaleString('en').padStart(9)}  ${name}`);
for (const [name, lines] of Object.entries(areas)) print(name, lines);
print(`hand-written, without ${generated.size} generated files`, total);
print(`of packages/server/src, in ${server.files} files`, server.lines);
for (const path of missing) console.error(`${path} is generated, but not in the repository.`);
if (missing.length > 0) process.exitCode = 1;
