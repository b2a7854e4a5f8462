import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** How a job attempt ended. GIVEN_BACK: requeued because the worker stops. LOST: the job was canceled, deleted or reassigned. */
export type JobEnd = 'SUCCEED' | 'FAILED' | 'RETRIED' | 'GIVEN_BACK' | 'LOST';

/** Why a recommendation call was refused. */
type RefusalReason = 'qps' | 'overload';

/** A part that a recommendation call can be answered without. */
export type DegradedPart = 'history' | 'ranker' | 'trend' | 'variant' | 'experiment';

/** Why the part is missing: the deadline passed, PostgreSQL or the object store is unavailable, or the model cannot be read. */
export type DegradationCause = 'deadline' | 'database' | 'objects' | 'model' | 'other';

interface WaitingJobs {
  readonly job_type: string;
  readonly jobs: number;
  readonly seconds: number;
}

interface ModelsInMemory {
  readonly count: number;
  readonly bytes: number;
  /** Loads since the start of the process. */
  readonly loads: number;
}

/** Which server recommendation calls read from, and how far the replica is behind. */
interface ReadFigures {
  readonly server: 'primary' | 'replica';
  /** Infinite if it is not known. */
  readonly lagSeconds: number;
}

/** Answers that are not in the decision log yet. */
interface UnwrittenDecisions {
  readonly answers: number;
  /** The age of the oldest one. */
  readonly seconds: number;
}

interface AttributionFigures {
  readonly seconds: number;
  readonly events: number;
  readonly answers: number;
}

/** The metrics of a process. Label values come from the code, never from callers, so their number is bounded. */
export interface Metrics {
  /** The metrics in Prometheus's text format, whose media type is `contentType`. */
  read(): Promise<string>;
  readonly contentType: string;
  /** `route` is the declared path, or undefined if no route matched. */
  requestAnswered(route: string | undefined, status: number, seconds: number): void;
  jobStarted(jobType: string): void;
  jobEnded(jobType: string, status: JobEnd): void;
  /** Objects in the store without a database row. */
  orphansFound(objects: number): void;
  /** Runs of schedules that this worker started, or found to be missed. */
  scheduledRuns(outcome: 'started' | 'missed', runs: number): void;
  /** An attempt to deliver a message to a webhook. `dropped`: the message was given up. */
  webhookSent(outcome: 'delivered' | 'failed' | 'dropped'): void;
  /** What became of the messages of Segment's clients: records that were written, and messages that were ignored or failed. */
  segmentMessages(counts: Readonly<Record<'written' | 'ignored' | 'failed', number>>): void;
  /** An API call that had to wait before it started. */
  callQueued(callClass: string, seconds: number): void;
  /** An API call that was refused before it started. */
  callRefused(callClass: string, reason: string): void;
  /** Starts the counters of these questions at 0. An alert could not see the first increase of a new series. */
  initQuestions(questions: readonly string[]): void;
  /** `question` is the name of the operation. */
  recommendationAnswered(question: string, results: number, scenario: string | undefined): void;
  recommendationDegraded(question: string, reason: DegradedPart, cause: DegradationCause): void;
  recommendationRefused(reason: RefusalReason): void;
  decisionsWritten(answers: number): void;
  /** Answers that the decision log will never have, because the store was unavailable for too long. */
  decisionsDropped(answers: number): void;
  /** `read` is called whenever metrics are read. */
  watchDecisions(read: () => UnwrittenDecisions): void;
  /** A run that attributed the events of a project. */
  attributionEnded(outcome: 'done' | 'failed', figures: AttributionFigures): void;
  /** `read` is called whenever metrics are read. If it fails, the metric is absent. */
  watchAttribution(read: () => Promise<number>): void;
  /** Whether this process enforces qps on its own because Redis is unavailable. */
  limiterFallback(isFallback: boolean): void;
  /** `read` is called whenever metrics are read. */
  watchModels(read: () => ModelsInMemory): void;
  readsSwitched(to: ReadFigures['server']): void;
  /** For processes with a replica. `read` is called whenever metrics are read. */
  watchReads(read: () => ReadFigures): void;
  /** `read` is called whenever metrics are read. If it fails, these metrics are absent. */
  watchJobs(read: () => Promise<readonly WaitingJobs[]>): void;
}

/** Each is about 1.5 times the previous one, which bounds the error of a percentile. */
const durationsMs = [1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 5000];

/** The scenario of calls that name none. */
const defaultScenario = 'default';
/** The most scenarios that one process tells apart; more series would slow down Prometheus. */
const maxScenarioLabels = 200;

/** Returns the first `max` different names as they are, and `other` for all further ones. */
function limitLabels(max: number): (name: string) => string {
  const known = new Set<string>([defaultScenario]);
  return (name) => {
    if (!known.has(name) && known.size >= max) return 'other';
    known.add(name);
    return name;
  };
}

/** Uses a separate registry per call, so that a test may run several processes' metrics side by side. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const count = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `tastegraph_${name}`, help, labelNames, registers });

  const requests = count('http_requests_total', 'HTTP requests answered', ['route', 'status']);
  const durations = new Histogram({
    name: 'tastegraph_http_request_duration_seconds',
    help: 'Time from a request to its response',
    labelNames: ['route'],
    buckets: durationsMs.map((ms) => ms / 1000),
    registers,
  });
  const jobsStarted = count('jobs_taken_total', 'Jobs that this worker started', ['type']);
  const jobsEnded = count('jobs_ended_total', 'Job attempts of this worker that ended, by status', [
    'type',
    'status',
  ]);

  const orphans = count(
    'orphaned_objects_total',
    'Objects without a database row that this worker found in the object store',
  );
  const scheduled = count('scheduled_runs_total', 'Runs of schedules, by outcome: started or missed', [
    'outcome',
  ]);
  // Starts at 0: an alert could not see the first increase of a new series.
  scheduled.inc({ outcome: 'missed' }, 0);
  const webhooks = count('webhook_messages_total', 'Attempts to deliver a message to a webhook, by outcome', [
    'outcome',
  ]);
  const segment = count(
    'segment_messages_total',
    "Messages of Segment's clients, by outcome: written, ignored or failed",
    ['outcome'],
  );
  // Starts at 0: an alert could not see the first increase of a new series.
  segment.inc({ outcome: 'failed' }, 0);
  const queued = new Histogram({
    name: 'tastegraph_call_queue_seconds',
    help: 'Time that API calls waited before they started; calls that did not wait are not counted',
    labelNames: ['class'],
    buckets: durationsMs.map((ms) => ms / 1000),
    registers,
  });
  const callsRefused = count('calls_refused_total', 'API calls refused before they started', [
    'class',
    'reason',
  ]);
  for (const reason of ['own', 'all']) callsRefused.inc({ class: 'usual', reason }, 0);

  const recommendations = count('recommendations_total', 'Recommendation calls answered', [
    'question',
    'scenario',
  ]);
  const results = count('recommendation_results_total', 'Items returned by recommendation calls', [
    'question',
    'scenario',
  ]);
  const labelOf = limitLabels(maxScenarioLabels);
  const degraded = count(
    'recommendations_degraded_total',
    'Degraded recommendation calls: "reason" is the missing part, "cause" is why it is missing',
    ['question', 'reason', 'cause'],
  );
  const refused = count(
    'recommendations_refused_total',
    'Recommendation calls refused, because of qps or overload',
    ['reason'],
  );
  // Starts at 0: an alert could not see the first increase of a new series.
  for (const reason of ['qps', 'overload'] satisfies RefusalReason[]) refused.inc({ reason }, 0);

  const fallback = new Gauge({
    name: 'tastegraph_qps_limiter_alone',
    help: '1 while this process enforces qps on its own because Redis was unavailable at the last call',
    registers,
  });
  const fallbacks = count(
    'qps_limiter_left_alone_total',
    'Times that this process started to enforce qps on its own',
  );

  const decisions = count('decisions_logged_total', 'Answers that this process wrote to the decision log');
  const decisionsDropped = count(
    'decisions_dropped_total',
    'Answers that are missing from the decision log because the object store was unavailable for too long',
  );

  const attributions = count(
    'attribution_runs_total',
    'Runs that attributed the events of a project, by outcome',
    ['outcome'],
  );
  attributions.inc({ outcome: 'failed' }, 0);
  const attributionSeconds = count('attribution_seconds_total', 'Time that these runs took');
  const attributionEvents = count('attribution_events_total', 'Events that these runs attributed');
  const attributionAnswers = count('attribution_answers_total', 'Answers whose outcomes these runs counted');

  return {
    read: () => registry.metrics(),
    contentType: registry.contentType,
    requestAnswered(route = 'none', status, seconds) {
      requests.inc({ route, status });
      durations.observe({ route }, seconds);
    },
    jobStarted: (type) => jobsStarted.inc({ type }),
    jobEnded: (type, status) => jobsEnded.inc({ type, status }),
    orphansFound: (objects) => orphans.inc(objects),
    scheduledRuns: (outcome, runs) => scheduled.inc({ outcome }, runs),
    webhookSent: (outcome) => webhooks.inc({ outcome }),
    segmentMessages(counts) {
      for (const [outcome, messages] of Object.entries(counts)) segment.inc({ outcome }, messages);
    },
    callQueued: (callClass, seconds) => queued.observe({ class: callClass }, seconds),
    callRefused: (callClass, reason) => callsRefused.inc({ class: callClass, reason }),
    initQuestions(questions) {
      for (const question of questions) {
        recommendations.inc({ question, scenario: defaultScenario }, 0);
        results.inc({ question, scenario: defaultScenario }, 0);
      }
    },
    recommendationAnswered(question, items, name = defaultScenario) {
      const scenario = labelOf(name);
      recommendations.inc({ question, scenario });
      results.inc({ question, scenario }, items);
    },
    recommendationDegraded: (question, reason, cause) => degraded.inc({ question, reason, cause }),
    recommendationRefused: (reason) => refused.inc({ reason }),
    limiterFallback(isFallback) {
      fallback.set(isFallback ? 1 : 0);
      if (isFallback) fallbacks.inc();
    },
    decisionsWritten: (answers) => decisions.inc(answers),
    decisionsDropped: (answers) => decisionsDropped.inc(answers),
    watchDecisions: watchDecisions(registers),
    attributionEnded(outcome, { seconds, events, answers }) {
      attributions.inc({ outcome });
      attributionSeconds.inc(seconds);
      attributionEvents.inc(events);
      attributionAnswers.inc(answers);
    },
    watchAttribution: watchAttribution(registers),
    watchModels: watchModels(registers),
    watchJobs: watchJobs(registers),
    ...createReadMetrics(registers),
  };
}

/** In processes without a replica, the gauges have no value. */
function createReadMetrics(registers: Registry[]): Pick<Metrics, 'readsSwitched' | 'watchReads'> {
  let figures: () => ReadFigures | undefined = () => undefined;
  const gauge = (name: string, help: string, valueOf: (read: ReadFigures) => number) =>
    new Gauge({
      name: `tastegraph_${name}`,
      help,
      registers,
      collect() {
        const read = figures();
        if (read) this.set(valueOf(read));
        else this.remove();
      },
    });
  gauge(
    'reads_from_replica',
    '1 while recommendation calls read from the replica, 0 while they read from the primary',
    ({ server }) => (server === 'replica' ? 1 : 0),
  );
  gauge(
    'replica_lag_seconds',
    'How far the replica is behind its primary, at most; it grows while one of them is gone',
    ({ lagSeconds }) => lagSeconds,
  );
  const switches = new Counter({
    name: 'tastegraph_read_switches_total',
    help: 'How often the reads of recommendation calls switched, by target',
    labelNames: ['to'],
    registers,
  });
  return {
    readsSwitched: (to) => switches.inc({ to }),
    watchReads(read) {
      figures = read;
      for (const to of ['primary', 'replica']) switches.inc({ to }, 0);
    },
  };
}

function watchModels(registers: Registry[]): (read: () => ModelsInMemory) => void {
  let models: () => ModelsInMemory = () => ({ count: 0, bytes: 0, loads: 0 });
  const gauge = (field: keyof ModelsInMemory, name: string, help: string) =>
    new Gauge({
      name: `tastegraph_${name}`,
      help,
      registers,
      collect() {
        this.set(models()[field]);
      },
    });
  gauge('count', 'models_in_memory', 'Models loaded in memory');
  gauge('bytes', 'models_in_memory_bytes', 'Memory used by loaded models, in bytes');
  new Counter({
    name: 'tastegraph_model_loads_total',
    help: 'Models that were loaded into memory',
    registers,
    collect() {
      this.reset();
      this.inc(models().loads);
    },
  });
  return (read) => {
    models = read;
  };
}

function watchDecisions(registers: Registry[]): (read: () => UnwrittenDecisions) => void {
  let unwritten: () => UnwrittenDecisions = () => ({ answers: 0, seconds: 0 });
  const gauge = (field: keyof UnwrittenDecisions, name: string, help: string) =>
    new Gauge({
      name: `tastegraph_${name}`,
      help,
      registers,
      collect() {
        this.set(unwritten()[field]);
      },
    });
  gauge('answers', 'decisions_unwritten', 'Answers that are lost if this process is killed now');
  gauge(
    'seconds',
    'decisions_unwritten_seconds',
    'Age of the oldest answer that is lost if this process is killed now',
  );
  return (read) => {
    unwritten = read;
  };
}

function watchAttribution(registers: Registry[]): (read: () => Promise<number>) => void {
  let age: () => Promise<number | undefined> = async () => undefined;
  new Gauge({
    name: 'tastegraph_attribution_age_seconds',
    help: 'How long ago the events of the project that waits longest were attributed',
    registers,
    async collect() {
      const seconds = await age().catch(() => undefined);
      if (seconds === undefined) this.remove();
      else this.set(seconds);
    },
  });
  return (read) => {
    age = read;
  };
}

function watchJobs(registers: Registry[]): (read: () => Promise<readonly WaitingJobs[]>) => void {
  let waiting: () => Promise<readonly WaitingJobs[]> = async () => [];
  let reading: Promise<readonly WaitingJobs[]> | undefined;
  /** Both gauges of a scrape share one read. If the database is unavailable, the other metrics must still be readable. */
  const readOnce = () => {
    reading ??= waiting()
      .catch(() => [])
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauge = (field: 'jobs' | 'seconds', name: string, help: string) =>
    new Gauge({
      name: `tastegraph_${name}`,
      help,
      labelNames: ['type'],
      registers,
      async collect() {
        this.reset();
        for (const found of await readOnce()) this.set({ type: found.job_type }, found[field]);
      },
    });
  gauge('jobs', 'jobs_waiting', 'Jobs in the whole cell that wait for a free worker, counted up to 10,000');
  gauge('seconds', 'jobs_longest_wait_seconds', 'How long the longest-waiting job has waited');
  return (read) => {
    waiting = read;
  };
}
