import { chooseEvidence, encodeModel, encodeSnapshot, train } from '@tastegraph/algorithms';
import { startThreads } from '@tastegraph/algorithms/threads';
import pg from 'pg';
import { openObjectStore } from '../../storage/objects/open.ts';
import { doThreadWork, type ThreadTools } from '../engine/thread-work.ts';
import { describeTraining } from './describe.ts';
import { fromG1, toG1 } from './parameters.ts';
import type { Trained, TrainingOrder } from './protocol.ts';
import { readTrainingData } from './read-data.ts';

/** Of the whole job: reading and writing take little, the search most. */
const shares = { reading: [0, 0.1], training: [0.1, 0.95], writing: [0.95, 1] } as const;

type Report = (part: keyof typeof shares, fraction: number, stage: string, message: string) => void;

async function read(order: TrainingOrder, report: Report, signal: AbortSignal) {
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
      signal,
      namedEventTypes: Object.keys(order.parameters.event_weights ?? {}),
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Trains one model, from the records to the file. */
async function run(order: TrainingOrder, { signal, report: reportAll }: ThreadTools): Promise<Trained> {
  const report: Report = (part, fraction, stage, message) => {
    const [from, to] = shares[part];
    reportAll(stage, from + (to - from) * fraction, message);
  };
  const clock = startClock();
  report('reading', 0, 'reading', 'the records');
  const input = await read(order, report, signal);
  const readSeconds = clock();

  const threads = startThreads(order.threads);
  try {
    let searchSeconds = 0;
    const training = await train(input.data, threads, {
      given: toG1(order.parameters, input.eventTypes),
      onProgress: (stage, fraction) => {
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
    const object = await store.put(order.objectKey, encodeModel(training.model, catalogue), { signal });
    report('writing', 0.5, 'writing', 'what it was trained on');
    const kept = encodeSnapshot({ ...input.snapshot, evidence });
    const snapshot = await store.put(order.snapshotKey, kept, { signal });
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

await doThreadWork(run);
