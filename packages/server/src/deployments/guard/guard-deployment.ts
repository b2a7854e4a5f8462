import { judgeLoss } from '@tastegraph/algorithms';
import type { JobResult } from '@tastegraph/contract';
import type { WorkerServices } from '../../jobs/engine/job-definition.ts';
import { JobError, TransientJobError } from '../../jobs/engine/job-error.ts';
import type { AttemptContext } from '../../jobs/engine/run-jobs.ts';
import { runThread } from '../../jobs/engine/run-thread.ts';
import type { AttemptRow } from '../../jobs/rows/attempts.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { findCurrentModels } from '../../projects/rows/deployments.ts';
import { lockDeployment } from '../../projects/rows/past-deployments.ts';
import { findServedProjectByKey } from '../../serving/rows/served-projects.ts';
import { keysOf } from '../check-files.ts';
import type { Comparison, ComparisonTask, ModelPair } from './protocol.ts';

type Guard = NonNullable<AttemptRow<'DEPLOYMENT'>['job_data']['guard']>;
export type GuardReport = NonNullable<JobResult<'DEPLOYMENT'>['guard']>;

interface GuardOutcome {
  readonly isDeployed: boolean;
  readonly report: GuardReport;
  /** Call it in the transaction that publishes. If other models were deployed meanwhile, throws, and the job compares again. */
  readonly recheck: (tx: Queryable) => Promise<void>;
}

const thread = {
  script: new URL('./compare-models.ts', import.meta.url),
  memoryAdvice:
    'The candidate and the deployed models do not fit into the memory of the worker together. Give the worker more memory, or deploy without a guard.',
};

/** Compares the candidate with what is deployed, and decides. */
export async function guardDeployment(
  { db, databaseUrl, objects }: WorkerServices,
  attempt: AttemptRow<'DEPLOYMENT'>,
  { guard, candidate }: { guard: Guard; candidate: ModelPair },
  context: AttemptContext,
): Promise<GuardOutcome> {
  const keys = keysOf(candidate);
  const current = await findCurrentModels(db, attempt.project_key, keys);
  const recheck = async (tx: Queryable) => {
    await lockDeployment(tx, attempt.project_key);
    const now = await findCurrentModels(tx, attempt.project_key, keys);
    if (
      now?.generator_model_id !== current?.generator_model_id ||
      now?.ranker_model_id !== current?.ranker_model_id
    )
      throw new TransientJobError('OVERTAKEN');
  };
  if (!current) return { isDeployed: true, report: nothingDeployed, recheck };

  const project = await findServedProjectByKey(db, attempt.account_id, attempt.project_key);
  if (!project) throw new JobError('PROJECT_DELETED', 'The project was deleted.');
  const task: ComparisonTask = {
    databaseUrl,
    objects,
    project,
    deployed: current,
    candidate,
    sinceTs: Math.max(...current.newest_event_ts),
  };
  const comparison = await runThread<Comparison>(thread, task, context);
  const { sinceTs, users, loss } = comparison;
  const { generator_model_id, ranker_model_id } = current;
  const verdict = judgeLoss(comparison, guard.max_loss);
  const score = (value: number) => (users === 0 ? null : round(value));
  return {
    isDeployed: verdict === 'PASSED' || (verdict === 'UNDECIDED' && guard.when_undecided !== 'REFUSE'),
    report: {
      verdict,
      compared_with: { generator_model_id, ranker_model_id },
      since_ts: sinceTs,
      users,
      deployed_ndcg_at_20: score(comparison.deployed),
      candidate_ndcg_at_20: score(comparison.candidate),
      loss: loss ? { value: round(loss.value), low: round(loss.low), high: round(loss.high) } : null,
    },
    recheck,
  };
}

const nothingDeployed: GuardReport = {
  verdict: 'NOTHING_DEPLOYED',
  compared_with: null,
  since_ts: null,
  users: 0,
  deployed_ndcg_at_20: null,
  candidate_ndcg_at_20: null,
  loss: null,
};

/** Finer than any interval here. */
const round = (value: number) => Math.round(value * 100_000) / 100_000;
