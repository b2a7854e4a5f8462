import { execFile } from 'node:child_process';
import { mkdir, mkdtempDisposable, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;

/** A file that imports another, and the rule that this violates; undefined if it is allowed. */
type Case = readonly [from: string, to: string, rule: string | undefined, code?: string];

const ofNode = `import 'node:fs';\nexport const x = 1;\n`;

const cases: Case[] = [
  ['packages/server/src/http/a.ts', 'packages/server/src/jobs/b.ts', 'http-knows-no-module'],
  ['packages/server/src/datasets/a.ts', 'packages/server/src/projects/b.ts', 'module-datasets'],
  ['packages/server/src/projects/a.ts', 'packages/server/src/datasets/b.ts', undefined],
  [
    'packages/server/src/projects/c.ts',
    'packages/server/src/datasets/api.ts',
    'definitions-are-for-processes',
  ],
  ['packages/server/src/serving/a.ts', 'packages/server/src/serving/search/b.ts', 'serving-basis'],
  ['packages/server/src/serving/rows/a.ts', 'packages/server/src/serving/state/b.ts', 'serving-basis'],
  [
    'packages/server/src/serving/catalogue/a.ts',
    'packages/server/src/serving/search/c.ts',
    'serving-catalogue',
  ],
  ['packages/server/src/serving/rules/a.ts', 'packages/server/src/serving/search/d.ts', undefined],
  ['packages/server/src/kernel/lib/a.ts', 'packages/server/src/http/c.ts', 'kernel-knows-no-product'],
  ['packages/server/src/kernel/lib/d.ts', 'packages/contract/src/g.ts', 'kernel-knows-no-product'],
  ['packages/server/src/processes/a.ts', 'packages/server/src/webhooks/b.ts', 'leaves-have-one-dependent'],
  ['packages/server/src/datasets/d.ts', 'packages/server/src/config.ts', 'only-processes-see-the-config'],
  ['packages/server/src/http/d.ts', 'packages/server/src/processes/b.ts', 'nobody-imports-processes'],
  ['packages/contract/src/a.ts', 'packages/server/src/kernel/lib/b.ts', 'workspace-packages-contract'],
  ['packages/cli/src/a.ts', 'packages/contract/src/b.ts', 'workspace-packages-cli'],
  ['packages/server/src/imports/a.ts', 'packages/cli/src/c.ts', 'nobody-imports-the-command-line'],
  ['packages/console/src/a.ts', 'packages/cli/src/d.ts', 'nobody-imports-the-command-line'],
  ['dev/src/a.ts', 'packages/cli/src/e.ts', 'nobody-imports-the-command-line'],
  ['packages/files/src/a.ts', 'packages/contract/src/d.ts', 'workspace-packages-files'],
  ['packages/files/src/b.ts', 'packages/sdk/src/b.ts', 'files-import-sdk-types'],
  ['packages/console/src/b.ts', 'packages/files/src/sources/open.ts', 'files-on-disk'],
  [
    'packages/console/src/screens/a/a.tsx',
    'packages/console/src/screens/b/b.tsx',
    'console-screens-are-apart',
  ],
  ['packages/console/src/screens/a/c.tsx', 'packages/console/src/screens/a/d.tsx', undefined],
  ['packages/console/src/screens/screens.ts', 'packages/console/src/screens/a/e.tsx', undefined],
  ['packages/console/src/use/a.ts', 'packages/console/src/screens/a/f.ts', 'console-shares-no-screens'],
  ['packages/files/src/index.ts', 'packages/files/src/sources/parquet.ts', 'files-on-disk'],
  ['packages/files/src/c.ts', 'packages/files/src/d.ts', 'browser-safe', ofNode],
  ['packages/server/src/imports/b.ts', 'packages/files/src/e.ts', undefined],
  ['packages/sdk/src/a.ts', 'packages/contract/src/concepts/b.ts', 'sdk-ships-no-schemas'],
  ['packages/charts/src/a.ts', 'packages/charts/src/svg.ts', 'charts-draw-nothing'],
  ['packages/charts/src/d.ts', 'packages/server/src/kernel/lib/c.ts', 'workspace-packages-charts'],
  ['acceptance/test/a.ts', 'packages/server/src/kernel/lib/e.ts', 'workspace-acceptance'],
  [
    'packages/algorithms/src/g1/a.ts',
    'packages/algorithms/src/kernels/threads/c.ts',
    'algorithms-do-not-start-threads',
  ],
  ['packages/algorithms/src/b.ts', 'packages/contract/src/c.ts', 'algorithms-import-contract-types'],
  ['packages/algorithms/src/g1/items/a.ts', 'packages/algorithms/src/g1/model/a.ts', 'g1-items'],
  ['packages/algorithms/src/g1/model/b.ts', 'packages/algorithms/src/g1/items/b.ts', undefined],
  ['packages/algorithms/src/a.ts', 'packages/algorithms/src/g1/b.ts', 'browser-safe', ofNode],
  ['packages/server/src/training/a.ts', 'packages/algorithms/src/kernels/threads/b.ts', undefined, ofNode],
  ['packages/server/src/training/c.ts', 'packages/server/src/jobs/e.ts', undefined],
];

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

let violations: Violation[];

/** All cases are in one tree, because a run takes seconds. */
beforeAll(async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'layers-'));
  for (const name of ['node_modules', 'tsconfig.json', 'dependency-cruiser.config.mjs', 'package.json'])
    await symlink(join(root, name), join(folder.path, name));
  for (const [from, to, , code = 'export const x = 1;\n'] of cases) {
    for (const file of [from, to]) await mkdir(join(folder.path, dirname(file)), { recursive: true });
    await writeFile(join(folder.path, to), code);
    const path = relative(dirname(from), to);
    await writeFile(
      join(folder.path, from),
      `import { x } from '${path.startsWith('.') ? path : `./${path}`}';\nexport const y = x;\n`,
    );
  }
  const command = join(root, 'node_modules/.bin/depcruise');
  const args = [
    '--config',
    'dependency-cruiser.config.mjs',
    '--output-type',
    'json',
    'packages',
    'dev',
    'acceptance',
  ];
  const run = promisify(execFile)(command, args, { cwd: folder.path, maxBuffer: 2 ** 26 });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[]; totalCruised: number } };
  expect(summary.totalCruised).toBeGreaterThanOrEqual(2 * cases.length);
  violations = summary.violations;
}, 60_000);

describe('the layers', () => {
  test.each(cases)('%s importing %s violates %s', (from, to, rule) => {
    const broken = violations
      .filter((one) => (one.from === from && one.to === to) || (one.from === to && one.to.includes('fs')))
      .map(({ rule: { name } }) => name);
    if (rule === undefined) expect(broken).toEqual([]);
    else expect(broken).toContain(rule);
  });
});
