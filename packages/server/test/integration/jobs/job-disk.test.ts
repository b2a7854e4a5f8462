import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountSmallDisk } from '../stack/small-disk.ts';
import { perFile } from '../stack/stack.ts';
import {
  failed,
  fixedParameters,
  makeProject,
  submit,
  waitForJob,
  waitsForRetry,
} from '../stack/training.ts';
import { startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';

const disk = await mountSmallDisk(1);

describe.runIf(disk)('a job whose disk is full', () => {
  const place = disk?.place ?? '';
  const filler = join(place, 'filler');

  // Hooks run in reverse order: it is unmounted once the cell has ended.
  afterAll(() => disk?.[Symbol.asyncDispose]());
  const cell = perFile(() =>
    startJobCell({ env: { OBJECTS_URL: pathToFileURL(join(place, 'objects')).href } }),
  );
  const caller = perFile(() => cell.newCaller());
  const project = perFile(() => makeProject(caller, { parameters: fixedParameters }));

  beforeAll(async () => {
    await cell.startWorker();
    await fill();
  });

  async function fill(): Promise<void> {
    const page = Buffer.alloc(4096);
    for (;;) {
      try {
        await appendFile(filler, page);
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
        return;
      }
    }
  }

  test('fails after three retries with a reason, and leaves nothing', async () => {
    const job = await submit(caller, project);
    expect(await waitForJob(caller, project.project_id, job)).toMatchObject(failed('STORE_FULL', 3));
    await expectSound(cell);
  });

  test('succeeds if there is space again by the next retry', async () => {
    const job = await submit(caller, project);
    const waiting = await waitForJob(caller, project.project_id, job, waitsForRetry);
    expect(waiting.error?.code).toBe('STORE_FULL');
    await rm(filler);
    const ended = await waitForJob(caller, project.project_id, job);
    expect(ended).toMatchObject({ job_status: 'SUCCEED', error: null });
    await expectSound(cell);
  });
});
