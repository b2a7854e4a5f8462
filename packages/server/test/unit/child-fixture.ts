import { runChildWork } from '../../src/jobs/engine/child-work.ts';
import { JobError } from '../../src/jobs/engine/job-error.ts';
import type { ThreadContext } from '../../src/jobs/engine/thread-work.ts';

/** What files of strangers do to their reader, for the tests of child processes. */
const works: Record<string, (context: ThreadContext) => unknown> = {
  work({ report }) {
    report('working', 0, '');
    return { list: [undefined, 1] };
  },
  fail() {
    throw new JobError('FILE_INVALID', 'a file');
  },
  heap() {
    const kept: unknown[] = [];
    for (;;) kept.push([kept.length]);
  },
  buffers() {
    const kept: Buffer[] = [];
    for (;;) kept.push(Buffer.alloc(2 ** 20, 1));
  },
  impossible: () => new Uint8Array(2 ** 53 - 1),
  hang({ report }) {
    report('working', 0, '');
    spin(3_600_000);
  },
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  leave: () => process.exit(0),
  long({ report }) {
    for (let n = 0; n < 8; n++) {
      report('working', 0, '');
      spin(500);
    }
    return 'done';
  },
};

function spin(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

await runChildWork((task: { readonly what: string }, context) =>
  Promise.resolve().then(() => works[task.what]?.(context)),
);
