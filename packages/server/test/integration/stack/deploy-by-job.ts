import { expect } from 'vitest';
import type { Caller } from './caller.ts';
import { type Deploying, deploy, makeTrained, type TrainedProject } from './deployment-cell.ts';
import type { TestProject } from './training.ts';

/** Deploys models by a job, which must succeed. No test reaches the limit that is set unless it sets its own. */
export async function deployByJob(caller: Caller, project: TestProject, models: Deploying): Promise<void> {
  const job = await deploy(caller, project, { qps: 1_000_000, ...models });
  expect(job).toMatchObject({ job_status: 'SUCCEED' });
}

/** A project with a model that is trained and deployed by jobs. */
export async function makeDeployed(caller: Caller): Promise<TrainedProject> {
  const project = await makeTrained(caller);
  await deployByJob(caller, project, { generator_model_id: project.model_id });
  return project;
}
