import type { Request, Response } from '@tastegraph/contract';
import type { CallFacts } from '../../http/context.ts';
import { isIdOf } from '../../http/ids.ts';
import type { Limiter } from '../../kernel/lib/limiter.ts';
import type { Metrics } from '../../kernel/observability/metrics.ts';
import type { TokenBucket } from '../../kernel/redis/token-bucket.ts';
import { CallClock } from '../call-clock.ts';
import type { Degradation, ReportDegradation } from '../degradation.ts';
import type { CallSettings, CallVariants, QuestionName } from '../ports.ts';
import type { ServedDeployment, ServedProject } from '../rows/serving-reads.ts';
import type { CallTrace, Question, ServingContext } from '../search/question-call.ts';
import type { Projects } from '../state/projects.ts';
import { admitCurrent, admitKnown, admitTrial } from './qps.ts';

/** An answer, and how it was found. */
export interface AnsweredCall {
  readonly question: QuestionName;
  readonly project: ServedProject;
  /** With the fields of its scenario. */
  readonly request: Request<QuestionName>;
  readonly scenarioVersion: number | null;
  readonly isTrial: boolean;
  readonly trace: CallTrace;
  readonly response: Pick<Response<QuestionName>, 'recommendation_id' | 'user_id' | 'results' | 'degraded'>;
}

/** Where answers are logged. */
interface CallLog {
  add(call: AnsweredCall): void;
}

export interface ServerContext {
  readonly serving: ServingContext;
  readonly projects: Projects;
  readonly settings: CallSettings;
  readonly variants: CallVariants;
  readonly bucket: TokenBucket;
  /** Calls in flight, fair between projects. */
  readonly limiter: Limiter;
  readonly metrics: Metrics;
  /** Counts an answer and its items. */
  readonly countAnswer: (question: QuestionName, items: number, scenario: string | undefined) => void;
  /** A new ID, signed for the project and the user. */
  readonly newAnswerId: (projectId: string, userId: string | undefined) => string;
  /** Undefined if answers are not logged. */
  readonly log: CallLog | undefined;
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
  { accountId, callerId, requestId, facts }: Caller,
  request: Request<Name>,
): Promise<Response<Name>> {
  const { serving, projects, settings, variants, bucket, limiter, metrics, log } = server;
  const clock = new CallClock(serving.deadlineMs);
  try {
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
      const resolved = await settings.resolve(name, project, request, clock);
      const userId = request.user_id;
      const modelId = 'model_id' in request ? request.model_id : undefined;
      const participant = { project, userId, modelId, clock, degraded };
      const assigned = await variants.assign({ ...participant, experimentId: resolved.experimentId });
      // Calls without a scenario learn their experiment with the deployment.
      const assign = async ({ experiment_id }: ServedDeployment) =>
        request.scenario === undefined
          ? variants.assign({ ...participant, experimentId: experiment_id })
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
      server.countAnswer(name, answer.results.length, request.scenario);
      const { variant } = trace;
      const response = {
        recommendation_id: server.newAnswerId(project.project_id, userId),
        ...answer,
        ...(variant && { experiment: { experiment_id: variant.experiment_id, variant: variant.name } }),
      } as Response<Name>;
      log?.add({
        question: name,
        project,
        request: asked,
        scenarioVersion: assigned?.scenario?.version ?? resolved.version,
        isTrial,
        trace,
        response,
      });
      return response;
    };
    return await limiter(run, { key: project.project_id });
  } catch (error) {
    throw clock.explain(error);
  }
}
