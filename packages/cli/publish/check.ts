import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as buildSdk, dist as sdkDist } from '../../sdk/publish/build.ts';
import { packAndInstall } from '../../sdk/publish/pack.ts';
import { build, dist } from './build.ts';

/** Packs the CLI as npm would, installs it with the packed SDK and its declared dependencies only, and runs it. */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const workspace = mkdtempSync(join(tmpdir(), 'tastegraph-cli-'));
try {
  buildSdk();
  build();
  execFileSync('publint', ['run', '--strict', fileURLToPath(dist)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const installed = install(dist, '@tastegraph/cli');
  install(sdkDist, '@tastegraph/sdk');
  linkLibraries(installed);
  smokeTest(join(installed, 'lib/main.js'));
} finally {
  rmSync(workspace, { recursive: true });
}

function install(folder: URL, name: string): string {
  const { entry, installed } = packAndInstall(fileURLToPath(folder), name, workspace);
  console.log(`${entry.filename}: ${entry.size} bytes packed`);
  return installed;
}

/** Links only declared dependencies, so that a missing declaration fails. */
function linkLibraries(installed: string): void {
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies).filter((one) => !one.startsWith('@tastegraph/'))) {
    const places = ['packages/cli', 'packages/files', '.'].map((one) =>
      join(root, one, 'node_modules', name),
    );
    const link = join(workspace, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(places.find(existsSync) ?? name, link);
  }
}

function smokeTest(main: string): void {
  const run = (args: readonly string[], code: number, expected: string) => {
    const env = {
      PATH: process.env['PATH'],
      XDG_CONFIG_HOME: workspace,
      TASTEGRAPH_URL: 'http://127.0.0.1:9',
      TASTEGRAPH_API_KEY: 'k',
      TASTEGRAPH_API_SECRET: 's',
    };
    const ended = spawnSync(process.execPath, [main, ...args], { cwd: workspace, env, encoding: 'utf8' });
    if (ended.status !== code || !`${ended.stdout}${ended.stderr}`.includes(expected))
      throw new Error(
        `${args.join(' ')} exited with ${String(ended.status)}:\n${ended.stdout}${ended.stderr}`,
      );
    console.log(`tastegraph ${args.join(' ')}: ok`);
  };
  const { version } = JSON.parse(readFileSync(new URL('package.json', dist), 'utf8')) as { version: string };
  run(['--version'], 0, version);
  run(['--help'], 0, 'Exit codes:');
  writeFileSync(join(workspace, 'films.csv'), 'movieId,title\n1,Alien\n');
  // Loads all modules and reads the file, then fails because there is no service.
  run(['import', 'items', 'films.csv', '--create', 'films', '--shards', '1'], 6, 'attributes.title');
}
