import type { Request, Response } from '@tastegraph/contract';
import type { Experiments } from '../../experiments/served.ts';
import type { CallFacts } from '../../http/context.ts';
import { isIdOf, newId } from '../../http/ids.ts';
import type { Limiter } from '../../kernel/lib/limiter.ts';
import type { Metrics } from '../../kernel/observability/metrics.ts';
import type { TokenBucket } from '../../kernel/redis/token-bucket.ts';
import { loggedAnswer } from '../../outcomes/log/decision.ts';
import type { DecisionLog } from '../../outcomes/log/decision-log.ts';
import type { Scenarios } from '../../scenarios/served.ts';
import { CallClock } from '../call-clock.ts';
import type { Degradation, ReportDegradation } from '../degradation.ts';
import type { Question, QuestionName } from '../questions/question.ts';
import type { ServedDeployment } from '../rows/serving-reads.ts';
import type { Projects } from '../state/projects.ts';
import { admitCurrent, admitKnown, admitTrial } from './qps.ts';
import type { CallTrace, ServingContext } from './question-call.ts';

export interface ServerContext {
  readonly serving: ServingContext;
  readonly projects: Projects;
  readonly scenarios: Scenarios;
  readonly experiments: Experiments;
  readonly bucket: TokenBucket;
  /** Calls in flight, fair between projects. */
  readonly limiter: Limiter;
  readonly metrics: Metrics;
  /** Undefined if answers are not logged. */
  readonly decisions: Pick<DecisionLog, 'add'> | undefined;
  readonly reportDegradation: ReportDegradation;
}

interface Caller {
  readonly accountId: string;
  readonly callerId: string;
  readonly requestId: string;
  readonly facts: CallFacts;
}

/** Handles a recommendation call: resolves its project, applies limits and responds. */
export async function serve<Name extends QuestionName>(
  server: ServerContext,
  name: Name,
  question: Question<Name>,
  caller: Caller,
  request: Request<Name>,
): Promise<Response<Name>> {
  const clock = new CallClock(server.serving.deadlineMs);
  try {
    return await serveWithin(server, name, question, caller, request, clock);
  } catch (error) {
    throw clock.explain(error);
  }
}

async function serveWithin<Name extends QuestionName>(
  server: ServerContext,
  name: Name,
  question: Question<Name>,
  { accountId, callerId, requestId, facts }: Caller,
  request: Request<Name>,
  clock: CallClock,
): Promise<Response<Name>> {
  const { serving, projects, scenarios, experiments, bucket, limiter, metrics, decisions } = server;
  const project = await clock.time('project', projects.resolve(accountId, request.project_id, clock));
  // The default project, if the caller names none.
  facts.projectId = project.project_id;
  const qps = { bucket, reads: serving.reads, metrics };
  const isTrial = isIdOf('person', callerId);
  const known = serving.lastKnown.get(project.project_id);
  let appliedQps: number | undefined;
  if (isTrial) await clock.time('qps', admitTrial(qps, project));
  else appliedQps = await clock.time('qps', admitKnown(qps, project, known, clock));
  const queuedMs = performance.now();
  const run = async () => {
    clock.record('queue', queuedMs);
    const degraded: Degradation[] = [];
    const admit = async (deployed: ServedDeployment) => {
      if (!isTrial) await admitCurrent(qps, project, deployed, appliedQps);
    };
    const resolved = await scenarios.resolve(name, project, request, clock);
    const userId = request.user_id;
    const modelId = 'model_id' in request ? request.model_id : undefined;
    const participant = { project, userId, modelId, clock, degraded };
    const assigned = await experiments.assign({ ...participant, experimentId: resolved.experimentId });
    // Calls without a scenario learn their experiment with the deployment.
    const assign = async ({ experiment_id }: ServedDeployment) =>
      request.scenario === undefined
        ? experiments.assign({ ...participant, experimentId: experiment_id })
        : assigned;
    const asked = assigned?.scenario ? { ...assigned.scenario.settings, ...request } : resolved.request;
    const trace: CallTrace = { page: [] };
    const answer = await question(
      { serving, question: name, project, clock, admit, assign, degraded, trace },
      asked,
    );
    if (!answer) throw await projects.explainAbsence(accountId, project);
    const call = {
      question: name,
      project_id: project.project_id,
      account_id: accountId,
      request_id: requestId,
    };
    facts.isDegraded = degraded.length > 0;
    for (const degradation of degraded) server.reportDegradation(call, degradation);
    metrics.recommendationAnswered(name, answer.results.length, request.scenario);
    const { variant } = trace;
    const response = {
      recommendation_id: newId('recommendation'),
      ...answer,
      ...(variant && { experiment: { experiment_id: variant.experiment_id, variant: variant.name } }),
    } as Response<Name>;
    decisions?.add(
      loggedAnswer({
        question: name,
        project,
        request: asked,
        scenarioVersion: assigned?.scenario?.version ?? resolved.version,
        isTrial,
        trace,
        response,
      }),
    );
    return response;
  };
  return limiter(run, { key: project.project_id });
}
