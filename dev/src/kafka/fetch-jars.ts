import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { run } from '../processes/run.ts';
import manifest from './jars.json' with { type: 'json' };

const REPOSITORY = 'https://repo.maven.apache.org/maven2';
// 45 MB: seconds on most machines.
const DOWNLOAD_LIMIT_MS = 110_000;

/** The folder with the jars of a broker, from Maven Central. Downloads them once, and checks what it downloads. */
export async function fetchKafka(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tastegraph-kafka');
  const folder = join(cache, manifest.version);
  if (await stat(folder).catch(() => undefined)) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'download-'));
  try {
    const paths = Object.keys(manifest.jars).map((path) => `${REPOSITORY}/${path}`);
    const options = [
      '--fail',
      '--silent',
      '--show-error',
      '--no-progress-meter',
      '--retry',
      '3',
      '--parallel',
      '--remote-name-all',
    ];
    const outcome = await run('curl', [...options, '--output-dir', draft, ...paths], {
      limitMs: DOWNLOAD_LIMIT_MS,
    });
    if (!outcome.ok)
      throw new Error(`Kafka cannot be downloaded from ${REPOSITORY}: ${outcome.reason}. ${outcome.stderr}`);
    for (const [path, digest] of Object.entries(manifest.jars)) {
      const bytes = await readFile(join(draft, basename(path)));
      if (createHash('sha256').update(bytes).digest('hex') !== digest)
        throw new Error(`${REPOSITORY}/${path} is not the file that jars.json describes. Try again.`);
    }
    // Another process may have been faster: its folder is as good.
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await stat(folder).catch(() => undefined))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}
