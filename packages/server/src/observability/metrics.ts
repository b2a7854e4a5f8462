import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** How a worker's attempt at a job ended; LOST: the job was canceled, deleted or given to another. */
export type JobEnd = 'SUCCEED' | 'FAILED' | 'RETRIED' | 'GIVEN_BACK' | 'LOST';

/** Why a recommendation call was turned away unanswered. */
type RefusalReason = 'qps' | 'overload';

interface WaitingJobs {
  readonly job_type: string;
  readonly jobs: number;
  readonly seconds: number;
}

interface ModelsInMemory {
  readonly count: number;
  readonly bytes: number;
}

/** What a process counts. Labels are words of the code, never what callers send or own: their number is bounded. */
export interface Metrics {
  /** In Prometheus's text format, which `contentType` names. */
  read(): Promise<string>;
  readonly contentType: string;
  /** `route` as it is declared, absent when none was found. */
  requestAnswered(route: string | undefined, status: number, seconds: number): void;
  jobTaken(jobType: string): void;
  jobEnded(jobType: string, status: JobEnd): void;
  recommended(results: number): void;
  recommendationDegraded(reason: string): void;
  recommendationRefused(reason: RefusalReason): void;
  /** Whether this process keeps the limits of calls a second by itself. */
  limiterAlone(isAlone: boolean): void;
  /** Is asked whenever metrics are read. */
  watchModels(read: () => ModelsInMemory): void;
  /** Is asked whenever metrics are read; when it fails, there are no figures of it. */
  watchJobs(read: () => Promise<readonly WaitingJobs[]>): void;
}

/** Milliseconds, each about one and a half times the one before: a percentile read from them is as near to the truth. */
const durationsMs = [1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 5000];

/** One a process, with a registry of its own, so that a test may run several side by side. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const count = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `tastegraph_${name}`, help, labelNames, registers });

  const requests = count('http_requests_total', 'Requests answered', ['route', 'status']);
  const durations = new Histogram({
    name: 'tastegraph_http_request_duration_seconds',
    help: 'From a request to its answer',
    labelNames: ['route'],
    buckets: durationsMs.map((ms) => ms / 1000),
    registers,
  });
  const jobsTaken = count('jobs_taken_total', 'Jobs that this worker took', ['type']);
  const jobsEnded = count('jobs_ended_total', 'Attempts of this worker, by how they ended', [
    'type',
    'status',
  ]);

  const recommendations = count('recommendations_total', 'Recommendation calls answered');
  const results = count('recommendation_results_total', 'Items in the answers of recommendation calls');
  const degraded = count('recommendations_degraded_total', 'Answers by what had to be done without', [
    'reason',
  ]);
  const refused = count('recommendations_refused_total', 'Calls refused, over qps or by overload', [
    'reason',
  ]);
  // A series that begins with its first refusal has no rise that an alert could see.
  for (const reason of ['qps', 'overload'] satisfies RefusalReason[]) refused.inc({ reason }, 0);

  const alone = new Gauge({
    name: 'tastegraph_qps_limiter_alone',
    help: '1 while this process keeps qps by itself: Redis was away at the last call',
    registers,
  });
  const leftAlone = count(
    'qps_limiter_left_alone_total',
    'Times that the limiter began to keep qps by itself',
  );

  return {
    read: () => registry.metrics(),
    contentType: registry.contentType,
    requestAnswered(route = 'none', status, seconds) {
      requests.inc({ route, status });
      durations.observe({ route }, seconds);
    },
    jobTaken: (type) => jobsTaken.inc({ type }),
    jobEnded: (type, status) => jobsEnded.inc({ type, status }),
    recommended(items) {
      recommendations.inc();
      results.inc(items);
    },
    recommendationDegraded: (reason) => degraded.inc({ reason }),
    recommendationRefused: (reason) => refused.inc({ reason }),
    limiterAlone(isAlone) {
      alone.set(isAlone ? 1 : 0);
      if (isAlone) leftAlone.inc();
    },
    watchModels: watchModels(registers),
    watchJobs: watchJobs(registers),
  };
}

function watchModels(registers: Registry[]): (read: () => ModelsInMemory) => void {
  let models: () => ModelsInMemory = () => ({ count: 0, bytes: 0 });
  const gauge = (field: keyof ModelsInMemory, name: string, help: string) =>
    new Gauge({
      name: `tastegraph_${name}`,
      help,
      registers,
      collect() {
        this.set(models()[field]);
      },
    });
  gauge('count', 'models_in_memory', 'Models that are loaded');
  gauge('bytes', 'models_in_memory_bytes', 'What loaded models take');
  return (read) => {
    models = read;
  };
}

function watchJobs(registers: Registry[]): (read: () => Promise<readonly WaitingJobs[]>) => void {
  let waiting: () => Promise<readonly WaitingJobs[]> = async () => [];
  let reading: Promise<readonly WaitingJobs[]> | undefined;
  /** Both figures of a scrape are of one read. Of a database that is away other metrics tell, and they must be there for that. */
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
  gauge('jobs', 'jobs_waiting', 'Jobs that wait for a place at a worker, of the whole cell');
  gauge('seconds', 'jobs_longest_wait_seconds', 'How long the one of them that waits the longest has waited');
  return (read) => {
    waiting = read;
  };
}
