import { readlinkSync } from 'node:fs';
import { getPriority } from 'node:os';
import { basename } from 'node:path';
import { runThreadWork } from '../../src/jobs/engine/thread-work.ts';

await runThreadWork(() =>
  Promise.resolve({ niceness: getPriority(Number(basename(readlinkSync('/proc/thread-self')))) }),
);
