import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Config } from '../../../src/config.ts';
import { Closers } from '../../../src/kernel/lib/closers.ts';
import { startAllInOne } from '../../../src/processes/all-in-one.ts';
import { openRuntime } from '../../../src/processes/run.ts';
import { startServing } from '../../../src/processes/serving.ts';
import { startTestApi, type TestApi } from './api.ts';
import { makeBreakable, type Tap } from './breakable.ts';
import { Caller } from './caller.ts';
import { fixedParameters, makeProject, type TestProject, trainModel } from './training.ts';

/** A product with one trained project, and as many additional serving processes as a test starts. */
export interface ServingCell extends AsyncDisposable {
  readonly api: TestApi;
  readonly caller: Caller;
  readonly project: TestProject;
  readonly modelId: string;
  /** Bypasses the job; takes effect in the next call of every process. */
  deploy(qps: number, rankerId?: string): Promise<void>;
  startServing(settings?: Partial<Config>): Promise<ServingProcess>;
}

interface ServingProcess {
  readonly caller: Caller;
  /** Its log. */
  readonly lines: Record<string, unknown>[];
}

/** Created once, and never changed by a test. */
export async function startServingCell(): Promise<ServingCell> {
  let config: Config | undefined;
  const api = await startTestApi({ TRAINING_THREADS: '1' }, (runtime) => {
    config = runtime.config;
    return startAllInOne(runtime);
  });
  const caller = await api.newCaller();
  const project = await makeProject(caller, { parameters: fixedParameters });
  const modelId = await trainModel(caller, project);
  const closers = new Closers((name, error) => console.error(`${name} was not closed`, error));
  const stop = new AbortController();
  return {
    api,
    caller,
    project,
    modelId,
    async deploy(qps, rankerId) {
      await api.rows(
        `INSERT INTO deployments (project_key, generator_model_key, ranker_model_key, qps)
          SELECT project_key, model_key, (SELECT model_key FROM models WHERE model_id = $3), $2
          FROM models WHERE model_id = $1
          ON CONFLICT (project_key) DO UPDATE SET ranker_model_key = excluded.ranker_model_key, qps = $2`,
        [modelId, qps, rankerId ?? null],
      );
    },
    async startServing(settings = {}) {
      if (!config) throw new Error('the api has not started');
      const lines: Record<string, unknown>[] = [];
      const sink = new Writable({
        write(chunk: Buffer, _encoding, done) {
          lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
          done();
        },
      });
      const runtime = await openRuntime(
        { ...config, ...settings },
        pino(sink),
        closers,
        stop.signal,
        'serving',
      );
      return { caller: new Caller(await startServing(runtime), caller.credentials), lines };
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await closers.closeAll();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** A proxy to PostgreSQL that delays every response, and can be stalled. */
export interface SlowDatabase extends AsyncDisposable {
  readonly url: string;
  /** Nothing passes until `resume`, and nothing is lost. */
  stall(): void;
  resume(): void;
}

export async function makeSlowDatabase(url: string, answerMs: number): Promise<SlowDatabase> {
  /** What arrived while it was stalled, in order. */
  let held: (() => void)[] | undefined;
  const pass = (write: () => void) => {
    if (held) held.push(write);
    else write();
  };
  const setUp: Tap = (from, to) => {
    for (const socket of [from, to]) socket.setNoDelay(true);
  };
  const way = await makeBreakable(url, setUp, (from, to) => {
    from.on('data', (chunk) => pass(() => to.write(chunk)));
    to.on('data', (chunk) => setTimeout(() => pass(() => from.write(chunk)), answerMs));
  });
  return {
    url: way.url,
    stall() {
      held ??= [];
    },
    resume() {
      const writes = held ?? [];
      held = undefined;
      for (const write of writes) write();
    },
    [Symbol.asyncDispose]: () => way.cut(),
  };
}
