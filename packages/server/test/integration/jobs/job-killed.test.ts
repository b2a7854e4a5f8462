import { beforeAll, describe, expect, test } from 'vitest';
import type { ServerProcess } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { failed, makeProject, submit, succeeded, type TestProject, waitForJob } from '../stack/training.ts';
import { startJobCell } from './job-cell.ts';
import { expectSound } from './job-guarantees.ts';
import { historyOf } from './job-history.ts';
import {
  endBy,
  type HeldStage,
  holdPublishing,
  holdReading,
  holdStore,
  longFit,
  longSearch,
  watchStage,
} from './job-stages.ts';
import { startSwiftWithBucket } from './job-swift.ts';

let worker: ServerProcess;

const swift = perFile(() => startSwiftWithBucket());

const cell = perFile(() => startJobCell({ env: swift.env }));
const caller = perFile(() => cell.newCaller());
const small = perFile(() => makeProject(caller));
const searching = perFile(() => makeProject(caller, longSearch));
const fitting = perFile(() => makeProject(caller, longFit));

beforeAll(async () => {
  worker = await cell.startWorker();
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
    await endBy(worker, 'SIGKILL');
    worker = await cell.startWorker();
  }
  return jobId;
}

test.each(stages)(
  'a worker killed while $stage leaves its job to another, which finishes it',
  async (stage) => {
    const job = await killInStage(stage, 1);
    const { project_id } = stage.project();
    expect(await waitForJob(caller, project_id, job)).toMatchObject(succeeded(1));
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
    expect(await waitForJob(caller, small.project_id, job)).toMatchObject(failed('WORKER_LOST', 3));
    await expectSound(cell);
  });
});
