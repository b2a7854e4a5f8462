import type { JobToWaitFor, JobType, SucceededJob } from '@tastegraph/sdk';
import { CliError, InterruptedError } from './cli-error.ts';
import type { Session } from './session.ts';
import { JobProgress } from './terminal/job-progress.ts';

/** Shows the progress of a job and returns it once it has succeeded. Ctrl-C stops the waiting, not the job. */
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
    if (!(error instanceof InterruptedError)) throw error;
    const { job_id, project_id } = job;
    throw new CliError(
      `Interrupted. Job ${job_id} continues on the service.`,
      `To wait for it again, run \`tastegraph jobs watch ${job_id} --project ${project_id}\`. To stop it, run \`tastegraph jobs cancel ${job_id} --project ${project_id}\`.`,
      error.exitCode,
      { code: error.code },
    );
  } finally {
    progress.stop();
  }
}
