import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  findPythons,
  installPython,
  installTimeout,
  mustRun,
  type Python,
  pythonRequirements,
  pythonTools,
  timeout,
} from './python-environment.ts';

/** Builds the Python package, installs it as a user would, and runs its tests against the server. */
const root = resolve(import.meta.dirname, '../..');
const source = `${root}/packages/python`;
const built = `${root}/acceptance/.build/python`;
/** What only the first Python needs: the package is built and checked once. */
const checkers = /^(build|hatchling|matplotlib|mypy|ruff)=/;

const pythons = await findPythons();
const [first] = pythons;

async function toolsOf(python: Python): Promise<string> {
  return pythonTools(
    python,
    python === first ? pythonRequirements : pythonRequirements.filter((name) => !checkers.test(name)),
  );
}

const folderOf = ({ version }: Python) => `${built}/${version}`;

/** A new environment with the wheel and what it depends on, and nothing else. */
async function installWheel(python: Python): Promise<void> {
  const folder = folderOf(python);
  const [wheel = ''] = globSync(`${built}/dist/*.whl`);
  await mustRun(python.command, ['-m', 'venv', '--without-pip', folder]);
  await mustRun(`${await toolsOf(python)}/bin/pip`, [
    '--python',
    `${folder}/bin/python`,
    'install',
    '--quiet',
    '--disable-pip-version-check',
    wheel,
  ]);
}

/** Adds the packages of the tests to the environment, behind its own. */
async function addTools(python: Python): Promise<void> {
  const folder = folderOf(python);
  const [packages = ''] = globSync(`${await toolsOf(python)}/lib/python3.*/site-packages`);
  const [target = ''] = globSync(`${folder}/lib/python3.*/site-packages`);
  writeFileSync(`${target}/tools.pth`, `${packages}\n`);
}

/** In CI, a missing Python is an error. */
const isSkipped = first === undefined && process.env['CI'] !== 'true';

describe.skipIf(isSkipped)('the Python package', () => {
  beforeAll(async () => {
    if (!first) throw new Error(installPython);
    rmSync(built, { recursive: true, force: true });
    mkdirSync(built, { recursive: true });
    const tools = await toolsOf(first);
    await mustRun(`${tools}/bin/python`, [
      '-m',
      'build',
      '--no-isolation',
      '--outdir',
      `${built}/dist`,
      source,
    ]);
    await Promise.all(pythons.map(installWheel));
  }, installTimeout);

  test('is a wheel and a source distribution of the version of the SDK', () => {
    const { version } = JSON.parse(readFileSync(`${root}/packages/sdk/package.json`, 'utf8')) as {
      version: string;
    };
    const files = globSync('*', { cwd: `${built}/dist` }).toSorted();
    expect(files).toEqual([`tastegraph-${version}-py3-none-any.whl`, `tastegraph-${version}.tar.gz`]);
  });

  test('passes its type checker and linter', { timeout }, async () => {
    if (!first) throw new Error(installPython);
    const tools = await toolsOf(first);
    await mustRun(`${tools}/bin/ruff`, ['check', '--no-cache', '.'], { cwd: source });
    await mustRun(`${tools}/bin/ruff`, ['format', '--no-cache', '--check', '.'], { cwd: source });
    await mustRun(`${tools}/bin/mypy`, ['--cache-dir', `${root}/acceptance/.build/mypy`], { cwd: source });
  });

  test.each(pythons)('works with Python $version', { timeout }, async (python) => {
    const command = `${folderOf(python)}/bin/python`;
    // Data frames are optional.
    const alone = 'import tastegraph, importlib.util as u; print(u.find_spec("pandas"), tastegraph.__file__)';
    expect(await mustRun(command, ['-c', alone])).toMatch(`None ${folderOf(python)}/lib/`);
    await addTools(python);
    const selection = python === first ? [] : ['-m', 'not slow'];
    const printed = await mustRun(command, ['-m', 'pytest', ...selection], { cwd: source });
    // Nothing was skipped, and there are no warnings.
    expect(printed).toMatch(/^\d+ passed(, \d+ deselected)? in /m);
  });

  test('runs the notebook', { timeout }, async () => {
    if (!first) throw new Error(installPython);
    await addTools(first);
    const notebook = `${root}/examples/notebook/better-than-popular.ipynb`;
    await mustRun(`${folderOf(first)}/bin/python`, [`${source}/tests/run_notebook.py`, notebook], {
      env: { MPLBACKEND: 'Agg' },
    });
  });
});
