import type { Request, Response } from '@tastegraph/contract';
import type { CallFacts } from '../domain/context.ts';
import { newId } from '../domain/ids.ts';
import type { Limiter } from '../lib/limiter.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ServedDeployment } from '../storage/postgres/serving-reads.ts';
import type { TokenBucket } from '../storage/redis/token-bucket.ts';
import { CallClock } from './call-clock.ts';
import { loggedAnswer } from './decision-log/decision.ts';
import type { DecisionLog } from './decision-log/decision-log.ts';
import type { Degradation, ReportDegradation } from './degradation.ts';
import type { Projects } from './projects.ts';
import { admitCurrent, admitKnown } from './qps.ts';
import type { CallTrace, ServingContext } from './question-call.ts';
import type { Question, QuestionName } from './questions/question.ts';
import type { Scenarios } from './scenarios/scenarios.ts';

export interface ServerContext {
  readonly serving: ServingContext;
  readonly projects: Projects;
  readonly scenarios: Scenarios;
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
  { accountId, requestId, facts }: Caller,
  request: Request<Name>,
  clock: CallClock,
): Promise<Response<Name>> {
  const { serving, projects, scenarios, bucket, limiter, metrics, decisions } = server;
  const project = await clock.time('project', projects.resolve(accountId, request.project_id, clock));
  // The default project, if the caller names none.
  facts.projectId = project.project_id;
  const qps = { bucket, reads: serving.reads, metrics };
  const known = serving.lastKnown.get(project.project_id);
  const appliedQps = await clock.time('qps', admitKnown(qps, project, known, clock));
  const queuedMs = performance.now();
  const run = async () => {
    clock.record('queue', queuedMs);
    const degraded: Degradation[] = [];
    const admit = (deployed: ServedDeployment) => admitCurrent(qps, project, deployed, appliedQps);
    const resolved = await scenarios.resolve(name, project, request, clock);
    const trace: CallTrace = { page: [] };
    const answer = await question(
      { serving, question: name, project, clock, admit, degraded, trace },
      resolved.request,
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
    const response = { recommendation_id: newId('recommendation'), ...answer } as Response<Name>;
    decisions?.add(
      loggedAnswer({
        question: name,
        project,
        request: resolved.request,
        scenarioVersion: resolved.version,
        trace,
        response,
      }),
    );
    return response;
  };
  return limiter(run, { key: project.project_id });
}
