import { accessSync, constants, createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError, InterruptedError, isFileError, usageError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

interface Result {
  readonly download_url: string;
  readonly chart_urls?: readonly string[];
}

/** Fails before the job is submitted if its result cannot be written. Without --out, checks the current folder. */
export function checkOutputPath(out = './result'): void {
  const existing = statSync(out, { throwIfNoEntry: false });
  if (existing && !existing.isFile())
    throw usageError(`${out} is not a regular file.`, 'Pass the path of a file to --out.');
  const folder = dirname(out);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw usageError(
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? `Folder ${folder} does not exist.`
        : `Folder ${folder} is not writable: ${(error as Error).message}.`,
      'Create the folder or change its permissions, or pass another path to --out.',
    );
  }
}

/** Downloads the result to `path`, and its charts next to it. Returns the paths of the charts. */
export async function downloadResult(result: Result, path: string, signal: AbortSignal): Promise<string[]> {
  await download(result.download_url, path, signal);
  return downloadFiles(result.chart_urls ?? [], withExtension(path, '.svg'), signal);
}

/** Replaces the extension of a path. */
export const withExtension = (path: string, extension: string) =>
  `${path.slice(0, path.length - extname(path).length)}${extension}`;

/** Downloads one file to `path`, and several to paths that are numbered before the extension. Returns the paths. */
export async function downloadFiles(
  urls: readonly string[],
  path: string,
  signal: AbortSignal,
): Promise<string[]> {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  const paths = urls.map((_, index) => (urls.length === 1 ? path : `${stem}-${index + 1}${extension}`));
  for (const [index, url] of urls.entries()) await download(url, paths[index] ?? '', signal);
  return paths;
}

/** Writes the file atomically. The URL itself grants access: no key or token is sent to it or to a redirect target. */
async function download(url: string, path: string, signal: AbortSignal): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    const response = await fetch(url, { signal });
    if (!response.ok || !response.body)
      throw new Error(`${new URL(response.url).host} returned ${response.status}`);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(draft), { signal });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    if (signal.reason instanceof InterruptedError) throw signal.reason;
    if (isFileError(error))
      throw new CliError(
        `Cannot write the result to ${path}: ${error.message}.`,
        'Check the permissions and free disk space of the folder, or pass another path to --out.',
        exitCodes.failed,
        { code: error.code ?? 'FILE' },
      );
    const { host } = new URL(url);
    // The unreachable host may be the store that the URL redirects to: fetch's cause names it.
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
    throw new CliError(
      `Cannot download the result from ${host}: ${reason.message}.`,
      'Check that this machine can reach that host. If results are stored in S3, it must also reach the bucket. `tastegraph jobs show JOB` prints a new URL.',
      exitCodes.unreachable,
      { code: 'DOWNLOAD_FAILED' },
    );
  }
}
