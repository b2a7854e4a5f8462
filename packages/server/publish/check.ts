import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as buildCli, dist as cliDist } from '../../cli/publish/build.ts';
import { build as buildSdk, dist as sdkDist } from '../../sdk/publish/build.ts';
import { pack } from '../../sdk/publish/pack.ts';
import { build, dist } from './build.ts';
import { Installation } from './installation.ts';

/**
 * Packs the server, the command line and the SDK as npm would, installs them from their tarballs with all dependencies in an
 * empty folder, and goes from files to recommendations there.
 */
const workspace = mkdtempSync(join(tmpdir(), 'tastegraph-server-'));
// For root, PostgreSQL runs as another user, who must be able to enter the folder with its data.
chmodSync(workspace, 0o755);
const folder = join(workspace, 'app');
mkdirSync(folder);
try {
  buildSdk();
  buildCli();
  build();
  // Tells its users what is wrong with a package.
  execFileSync('publint', ['run', '--strict', fileURLToPath(dist)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const tarballs = [cliDist, sdkDist].map((one) => pack(fileURLToPath(one), workspace).tarball);
  const installation = new Installation(folder);
  await timed('installed', async () => installation.install([packServer(), ...tarballs]));
  installation.checkVersions(readVersion());
  installation.checkOldNode();
  const server = await timed('started', () => installation.startDev());
  try {
    await timed('pages', () => server.checkPages());
    await timed('from files to recommendations', async () =>
      installation.goFromFilesToRecommendations(server),
    );
  } finally {
    await timed('stopped', () => server.stop());
  }
} finally {
  rmSync(workspace, { recursive: true, force: true });
}

function packServer(): string {
  const { entry, tarball } = pack(fileURLToPath(dist), workspace);
  const { filename, size, unpackedSize, files } = entry;
  console.log(`${filename}: ${files.length} files, ${size} bytes packed, ${unpackedSize} unpacked`);
  // 1.2 and 3.8 MB; more is something that nobody needs to run it.
  if (size > 1_800_000 || unpackedSize > 6_000_000) throw new Error('The package is too large.');
  const paths = files.map(({ path }) => path);
  for (const path of ['LICENSE', 'README.md', 'packages/console/dist/index.html'])
    if (!paths.includes(path)) throw new Error(`The package does not contain ${path}.`);
  const places = [fileURLToPath(new URL('../../../', import.meta.url)), `${homedir()}/`, `${tmpdir()}/`];
  for (const path of paths) {
    if (/(^|\/)(tests?|publish)\/|\.(test\.js|ts|tgz|map)$/.test(path))
      throw new Error(`The package contains ${path}.`);
    const text = readFileSync(new URL(path, dist), 'utf8');
    const place = places.find((one) => text.includes(one));
    if (place !== undefined) throw new Error(`${path} contains ${place}, a path of this machine.`);
  }
  return tarball;
}

function readVersion(): string {
  return (JSON.parse(readFileSync(new URL('package.json', dist), 'utf8')) as { version: string }).version;
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(5)} s  ${name}`);
  return result;
}
