import type { JobToWaitFor, JobType, SucceededJob } from '@tastegraph/sdk';
import { Interrupted, Problem } from './problem.ts';
import type { Session } from './session.ts';
import { JobProgress } from './terminal/job-progress.ts';

/** The job once it has succeeded, shown as it runs. Ctrl-C ends the watching, not the job. */
export async function watchJob<T extends JobType>(
  { client, output, signal }: Session,
  job: JobToWaitFor<T>,
): Promise<SucceededJob<T>> {
  const progress = new JobProgress();
  try {
    return await client.waitForJob(job, {
      signal,
      ...(output.json ? {} : { onProgress: (one) => progress.show(one) }),
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    const { job_id, project_id } = job;
    throw new Problem(
      `Interrupted; the job ${job_id} goes on.`,
      `\`tastegraph jobs watch ${job_id} --project ${project_id}\` waits for it again, \`jobs cancel\` ends it.`,
      error.exitCode,
      { code: error.code },
    );
  } finally {
    progress.stop();
  }
}
