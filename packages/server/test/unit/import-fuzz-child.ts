import { Readable } from 'node:stream';
import { ReadLimits } from '@tastegraph/files/open';
import { readFile } from '../../src/imports/read-file.ts';
import { runChildWork } from '../../src/jobs/engine/child-work.ts';
import { JobError } from '../../src/jobs/engine/job-error.ts';
import type { ThreadContext } from '../../src/jobs/engine/thread-work.ts';
import type { ObjectStore } from '../../src/kernel/objects/store.ts';

export interface FuzzTask {
  readonly folder: string;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** For each file its number of rows, or -1 if it is invalid. Any other error is one of ours. */
async function readAll({ folder, files }: FuzzTask, { report, signal }: ThreadContext): Promise<number[]> {
  const counts: number[] = [];
  for (const { name, bytes } of files) {
    const onPosition = () => report('reading', counts.length, '');
    onPosition();
    const store = { read: () => Promise.resolve({ bytes: Readable.from([bytes]) }) };
    const options = { kind: 'event', folder, columns: undefined, eventType: 'buy', signal } as const;
    const file = { object_key: name, path: name, size: bytes.length };
    let count = 0;
    try {
      const readLimits = new ReadLimits(64 * 2 ** 20);
      const rows = readFile(store as unknown as ObjectStore, file, { ...options, readLimits, onPosition });
      for await (const some of rows) count += some.length;
    } catch (error) {
      if (!(error instanceof JobError) || error.code !== 'FILE_INVALID') throw error;
      count = -1;
    }
    counts.push(count);
  }
  return counts;
}

await runChildWork(readAll);
