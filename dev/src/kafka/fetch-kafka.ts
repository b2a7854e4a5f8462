import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../processes/run.ts';

const POM = fileURLToPath(new URL('./pom.xml', import.meta.url));
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
// 45 MB and Maven's own plugins: half a minute on most machines.
const DOWNLOAD_LIMIT_MS = 240_000;

/** The folder with the jars of a broker, which Maven downloads once. */
export async function fetchKafka(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tastegraph-kafka');
  const folder = join(
    cache,
    createHash('sha256')
      .update(await readFile(POM))
      .digest('hex')
      .slice(0, 16),
  );
  if (await stat(folder).catch(() => undefined)) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'download-'));
  try {
    const args = ['-B', '-q', '-f', POM, COPY, '-DincludeScope=runtime', `-DoutputDirectory=${draft}`];
    const outcome = await run('mvn', args, { limitMs: DOWNLOAD_LIMIT_MS });
    if (!outcome.ok)
      throw new Error(
        `Maven cannot download Kafka: ${outcome.reason}. ${outcome.stderr} Check that mvn runs: apt install maven (Debian).`,
      );
    // Another process may have been faster: its folder is as good.
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await stat(folder).catch(() => undefined))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}
