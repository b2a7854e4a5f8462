import { accessSync, constants, createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exitCodes } from './exit-codes.ts';
import { Interrupted, isFileError, Problem, usageProblem } from './problem.ts';

interface Result {
  readonly download_url: string;
  readonly chart_urls?: readonly string[];
}

/** Refuses a place that no result can be put at, before a job is done for it. Without --out it is where one is. */
export function checkPlace(out = './result'): void {
  const there = statSync(out, { throwIfNoEntry: false });
  if (there && !there.isFile()) throw usageProblem(`${out} is no file.`, 'Name a file with --out.');
  const folder = dirname(out);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw usageProblem(
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? `There is no folder ${folder}.`
        : `Nothing can be written to the folder ${folder}: ${(error as Error).message}.`,
      'Name a file elsewhere with --out, or make the folder first.',
    );
  }
}

/** The result at `path`, and its charts beside it. Answers where the charts are. */
export async function downloadResult(result: Result, path: string, signal: AbortSignal): Promise<string[]> {
  await download(result.download_url, path, signal);
  const stem = path.slice(0, path.length - extname(path).length);
  const charts = result.chart_urls ?? [];
  const names = charts.map((_, place) => (charts.length === 1 ? `${stem}.svg` : `${stem}-${place + 1}.svg`));
  for (const [place, url] of charts.entries()) await download(url, names[place] ?? '', signal);
  return names;
}

/** Whole or not at all. The address is the proof: it is sent no key and no token. */
async function download(url: string, path: string, signal: AbortSignal): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    const response = await fetch(url, { signal });
    if (!response.ok || !response.body) throw new Error(`it answers ${response.status}`);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(draft), { signal });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    if (signal.reason instanceof Interrupted) throw signal.reason;
    if (isFileError(error))
      throw new Problem(
        `The result cannot be written to ${path}: ${error.message}.`,
        'Check the folder, its permissions and its disk, or name a file elsewhere with --out.',
        exitCodes.failed,
        { code: error.code ?? 'FILE' },
      );
    const { host } = new URL(url);
    throw new Problem(
      `The result cannot be downloaded from ${host}: ${(error as Error).message}.`,
      'Check that this machine reaches that address; `tastegraph jobs show JOB` gives a fresh one.',
      exitCodes.unreachable,
      { code: 'DOWNLOAD_FAILED' },
    );
  }
}
