import { parentPort, workerData } from 'node:worker_threads';
import { chooseEvidence, encodeModel, encodeSnapshot, train } from '@tastegraph/algorithms';
import { startThreads } from '@tastegraph/algorithms/threads';
import pg from 'pg';
import { openObjectStore } from '../../storage/objects/open.ts';
import { troubleCode } from '../engine/trouble.ts';
import { JobError } from '../job-error.ts';
import { describeTraining } from './describe.ts';
import { isOutOfMemory, outOfMemory } from './out-of-memory.ts';
import { fromG1, toG1 } from './parameters.ts';
import type { FromTrainer, Trained, TrainingOrder } from './protocol.ts';
import { readTrainingData } from './read-data.ts';

/** A thread that trains one model, from the records to the file. It ends with the one message that says how it went. */
const order = workerData as TrainingOrder;
const end = new AbortController();
// Whatever we are told is: stop.
parentPort?.on('message', () => end.abort(new Error('the training was ended')));

const say = (message: FromTrainer) => parentPort?.postMessage(message);
/** Of the whole job: reading and writing take little, the search most. */
const shares = { reading: [0, 0.1], training: [0.1, 0.95], writing: [0.95, 1] } as const;

function report(part: keyof typeof shares, fraction: number, stage: string, message: string): void {
  const [from, to] = shares[part];
  say({ progress: { stage, fraction: from + (to - from) * fraction, message } });
}

async function read() {
  const client = new pg.Client({
    connectionString: order.databaseUrl,
    application_name: 'tastegraph training',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const onProgress = (fraction: number) =>
      report('reading', fraction, 'reading', `${Math.round(fraction * 100)} % of the records`);
    return await readTrainingData(client, order.source, {
      onProgress,
      signal: end.signal,
      namedEventTypes: Object.keys(order.parameters.event_weights ?? {}),
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function run(): Promise<Trained> {
  const clock = startClock();
  report('reading', 0, 'reading', 'the records');
  const input = await read();
  const readSeconds = clock();

  const threads = startThreads(order.threads);
  try {
    let searchSeconds = 0;
    const training = await train(input.data, threads, {
      given: toG1(order.parameters, input.eventTypes),
      onProgress: (stage, fraction) => {
        end.signal.throwIfAborted();
        const [part, what] = stage.split(': ');
        if (part === 'fit' && searchSeconds === 0) searchSeconds = clock();
        report('training', fraction, part === 'fit' ? 'fitting' : 'searching', what ?? '');
      },
    });
    const evidence = chooseEvidence(input.snapshot, training.model);
    const fitSeconds = clock();

    report('writing', 0, 'writing', 'the model');
    await using store = await openObjectStore(order.objects);
    const catalogue = {
      itemIds: input.itemIds,
      eventTypes: input.eventTypes,
      targetEventType: order.source.target_event_type,
      userCodes: input.userCodes,
    };
    const object = await store.put(order.objectKey, encodeModel(training.model, catalogue), {
      signal: end.signal,
    });
    report('writing', 0.5, 'writing', 'what it was trained on');
    const snapshot = await store.put(order.snapshotKey, encodeSnapshot({ ...input.snapshot, evidence }), {
      signal: end.signal,
    });
    const seconds = { read: readSeconds, search: searchSeconds, fit: fitSeconds, write: clock() };
    return {
      object,
      snapshot: { key: order.snapshotKey, ...snapshot, attributes: input.snapshot.values.names },
      training: {
        ...describeTraining(training, input),
        chosen_parameters: fromG1(training.parameters, input.eventTypes),
        usage_evidence: evidence,
        seconds,
        file_bytes: object.size,
      },
    };
  } finally {
    await threads.close();
  }
}

/** Seconds since it was last asked. */
function startClock(): () => number {
  let last = performance.now();
  return () => {
    const seconds = (performance.now() - last) / 1000;
    last = performance.now();
    return Math.round(seconds * 1000) / 1000;
  };
}

try {
  say({ trained: await run() });
} catch (error) {
  const known = isOutOfMemory(error) ? outOfMemory() : error;
  if (known instanceof JobError) say({ failed: { code: known.code, message: known.message } });
  else say({ trouble: troubleCode(error), stack: String((error as Error).stack) });
}
// Nothing else keeps the thread: what it opened is closed.
parentPort?.close();
