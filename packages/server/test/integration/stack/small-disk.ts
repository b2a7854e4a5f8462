import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const run = (command: string, args: readonly string[]) => execute(command, args, { timeout: 10_000 });

export interface SmallDisk extends AsyncDisposable {
  readonly place: string;
  makeReadOnly(): Promise<void>;
}

/** Mounts a separate disk of `mebibytes` MiB. Mounting needs root; otherwise returns undefined and says so. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const place = await mkdtemp(join(tmpdir(), 'tastegraph-small-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', place]);
  } catch (error) {
    await rm(place, { recursive: true });
    console.log(`skipped: a full disk. None can be mounted here: ${String(error)}`);
    return undefined;
  }
  return {
    place,
    makeReadOnly: async () => {
      await run('mount', ['-o', 'remount,ro', place]);
    },
    [Symbol.asyncDispose]: async () => {
      await run('umount', [place]);
      await rm(place, { recursive: true });
    },
  };
}
