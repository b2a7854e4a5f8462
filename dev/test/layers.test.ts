import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
let place: string;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'layers-'));
  for (const name of ['node_modules', 'tsconfig.json', 'dependency-cruiser.config.mjs', 'package.json']) {
    await symlink(join(root, name), join(place, name));
  }
});
afterAll(() => rm(place, { recursive: true }));

/** The rules that are broken by a file at `from` that imports one at `to`. */
async function breaches(from: string, to: string, code = 'export const x = 1;\n'): Promise<string[]> {
  const [fromFile, toFile] = [join(place, from), join(place, to)];
  for (const file of [fromFile, toFile]) await mkdir(dirname(file), { recursive: true });
  await writeFile(toFile, code);
  const steps = dirname(from)
    .split('/')
    .map(() => '..')
    .join('/');
  await writeFile(fromFile, `import { x } from '${steps}/${to}';\nexport const y = x;\n`);
  const args = [
    '--config',
    'dependency-cruiser.config.mjs',
    '--output-type',
    'json',
    from.split('/')[0] ?? '',
  ];
  const run = promisify(execFile)(join(root, 'node_modules/.bin/depcruise'), args, {
    cwd: place,
    maxBuffer: 2 ** 24,
  });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  await rm(fromFile);
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string } }[]; totalCruised: number };
  };
  expect(summary.totalCruised).toBeGreaterThanOrEqual(2);
  return summary.violations.map(({ rule }) => rule.name);
}

describe('the layers', () => {
  test.each([
    ['packages/server/src/http/a.ts', 'packages/server/src/storage/b.ts', 'server-http'],
    ['packages/server/src/domain/a.ts', 'packages/server/src/http/b.ts', 'server-domain'],
    ['packages/server/src/storage/a.ts', 'packages/server/src/domain/b.ts', 'server-storage'],
    ['packages/server/src/lib/a.ts', 'packages/server/src/storage/b.ts', 'server-lib'],
    ['packages/server/src/domain/a.ts', 'packages/server/src/config.ts', 'only-processes-see-the-config'],
    ['packages/server/src/http/a.ts', 'packages/server/src/processes/b.ts', 'nobody-imports-processes'],
    ['packages/contract/src/a.ts', 'packages/server/src/lib/b.ts', 'workspace-packages-contract'],
    ['packages/cli/src/a.ts', 'packages/contract/src/b.ts', 'workspace-packages-cli'],
    ['packages/sdk/src/a.ts', 'packages/contract/src/schemas/b.ts', 'sdk-ships-no-schemas'],
    ['packages/charts/src/a.ts', 'packages/charts/src/svg.ts', 'charts-draw-nothing'],
    ['packages/charts/src/a.ts', 'packages/server/src/lib/b.ts', 'workspace-packages-charts'],
    ['acceptance/test/a.ts', 'packages/server/src/lib/b.ts', 'workspace-acceptance'],
    [
      'packages/algorithms/src/g1/a.ts',
      'packages/algorithms/src/threads/b.ts',
      'algorithms-do-not-start-threads',
    ],
  ])('%s may not import %s', async (from, to, rule) => {
    expect(await breaches(from, to)).toContain(rule);
  });

  test('of the algorithms, only threads may import Node', async () => {
    const code = `import 'node:fs';\nexport const x = 1;\n`;
    expect(await breaches('packages/algorithms/src/a.ts', 'packages/algorithms/src/g1/b.ts', code)).toContain(
      'browser-safe',
    );
    await rm(join(place, 'packages/algorithms'), { recursive: true });
    expect(
      await breaches('packages/server/src/jobs/a.ts', 'packages/algorithms/src/threads/b.ts', code),
    ).toEqual([]);
  });

  test('domain may import storage', async () => {
    expect(await breaches('packages/server/src/domain/a.ts', 'packages/server/src/storage/b.ts')).toEqual([]);
  });
});
