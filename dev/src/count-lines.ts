import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * `node dev/src/count-lines.ts`: the lines that people write, per area, as `wc -l` counts them. What is generated comes from the generators
 * themselves, so that nothing else can be taken out. Fails if one of these files is not in the repository or not marked as generated in
 * `.gitattributes`, or if there is more than `limits` allows.
 */

/** A commit that needs more raises them, so that growth shows in its diff. A commit that removes much lowers them. */
const limits = {
  /** Of source, tests and pages. */
  lines: 171_000,
  serverLines: 40_500,
  serverFiles: 455,
};

const root = new URL('../../', import.meta.url);
const run = (command: string, args: readonly string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  scripts: { generate: string };
};
const generators = scripts.generate.split(' && ').map((command) => command.replace(/^node /, ''));
/** Files of other tools: npm's lock, and the dump of `npm run schema`. */
const written = ['package-lock.json', 'packages/server/schema.sql'];
const generated = new Set([
  ...written,
  ...generators.flatMap((generator) => run(process.execPath, [generator, '--list']).trim().split('\n')),
]);

const areas = { source: 0, tests: 0, pages: 0, other: 0 };
const server = { files: 0, lines: 0 };
const files = run('git', ['ls-files', '-z']).split('\0').filter(Boolean);
const missing = [...generated].filter((path) => !files.includes(path));
const marked = run('git', ['check-attr', 'linguist-generated', '--', ...generated])
  .split('\n')
  .filter((line) => line.endsWith(': set'))
  .map((line) => line.split(': ')[0]);
const unmarked = [...generated].filter((path) => !marked.includes(path));
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
const sizes: Record<keyof typeof limits, number> = {
  lines: areas.source + areas.tests + areas.pages,
  serverLines: server.lines,
  serverFiles: server.files,
};
const problems = [
  ...missing.map((path) => `${path} is generated, but not in the repository.`),
  ...unmarked.map((path) => `${path} is generated, but not marked as linguist-generated in .gitattributes.`),
  ...Object.entries(limits)
    .filter(([name, limit]) => sizes[name as keyof typeof limits] > limit)
    .map(([name, limit]) => `${name}: ${sizes[name as keyof typeof limits]} is above the limit of ${limit}.`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
