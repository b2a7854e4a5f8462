import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../stack/caller.ts';
import type { ServerProcess } from '../stack/server-process.ts';
import { makeProject, submit, type TestProject, waitForJob } from '../stack/training.ts';
import { type JobCell, startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf } from './job-history.ts';
import {
  type HeldStage,
  holdPublishing,
  holdReading,
  holdStore,
  longFit,
  longSearch,
  watchStage,
} from './job-stages.ts';
import { type CellSwift, startCellSwift } from './job-swift.ts';

let swift: CellSwift;
let cell: JobCell;
let caller: Caller;
let small: TestProject;
let searching: TestProject;
let fitting: TestProject;
let worker: ServerProcess;

beforeAll(async () => {
  swift = await startCellSwift();
  await swift.createBucket();
  cell = await startJobCell({ env: swift.env });
  caller = await cell.newCaller();
  small = await makeProject(caller);
  searching = await makeProject(caller, longSearch);
  fitting = await makeProject(caller, longFit);
  worker = await cell.startWorker();
});
afterAll(async () => {
  await cell[Symbol.asyncDispose]();
  await swift[Symbol.asyncDispose]();
});

interface Stage {
  readonly stage: string;
  readonly project: () => TestProject;
  readonly hold: () => HeldStage | Promise<HeldStage>;
}

const stages: Stage[] = [
  { stage: 'reading', project: () => small, hold: () => holdReading(cell.sql, small) },
  { stage: 'searching', project: () => searching, hold: () => watchStage(cell.sql, 'searching') },
  { stage: 'fitting', project: () => fitting, hold: () => watchStage(cell.sql, 'fitting') },
  { stage: 'writing', project: () => small, hold: () => holdStore(cell.sql, swift, 'writing') },
  { stage: 'publishing', project: () => small, hold: () => holdPublishing(cell.sql) },
];

/** A job of which `kills` workers were killed in the stage. Another worker runs then. */
async function killInStage({ project, hold }: Stage, kills: number): Promise<string> {
  await using held = await hold();
  const jobId = await submit(caller, project());
  for (let attempt = 1; attempt <= kills; attempt++) {
    await held.reached(jobId, attempt);
    worker.signal('SIGKILL');
    expect(await worker.ended).toBe('SIGKILL');
    worker = await cell.startWorker();
  }
  return jobId;
}

test.each(stages)(
  'a worker killed while $stage leaves its job to another, which finishes it',
  async (stage) => {
    const job = await killInStage(stage, 1);
    const { project_id } = stage.project();
    expect(await waitForJob(caller, project_id, job)).toMatchObject({
      job_status: 'SUCCEED',
      retry_count: 1,
      error: null,
    });
    const history = await historyOf(cell.sql, job);
    const [killed, lost] = history.slice(history.findIndex(({ job_status }) => job_status === 'PENDING') - 1);
    expect(lost).toMatchObject({ attempt: 1, retry_count: 1, code: 'WORKER_LOST' });
    // The "publishing" stage may not have been written: the job's row was already locked.
    expect([stage.stage, stage.stage === 'publishing' ? 'writing' : stage.stage]).toContain(killed?.stage);
    await expectSound(cell);
  },
);

describe('a job', () => {
  test('whose workers are killed four times fails with a reason', async () => {
    const job = await killInStage(stages[0] as Stage, 4);
    expect(await waitForJob(caller, small.project_id, job)).toMatchObject({
      job_status: 'FAILED',
      retry_count: 3,
      job_result: null,
      error: { code: 'WORKER_LOST' },
    });
    await expectSound(cell);
  });
});
