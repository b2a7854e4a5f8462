import { setImmediate } from 'node:timers/promises';
import { algorithmOf, type Executor, encodeSnapshot, sequential } from '@tastegraph/algorithms';
import { startThreads } from '@tastegraph/algorithms/threads';
import pg from 'pg';
import { runThreadWork, type ThreadContext } from '../jobs/engine/thread-work.ts';
import { openObjectStore } from '../kernel/objects/open.ts';
import { checkSize, describeTraining, explainMemory } from './judge.ts';
import type { TrainingResult, TrainingTask } from './protocol.ts';
import { readTrainingData } from './read-data.ts';
import { trainingConnection } from './rows/training-rows.ts';

/** Shares of the job's progress: reading and writing take little, the search most. */
const shares = { reading: [0, 0.1], training: [0.1, 0.95], writing: [0.95, 1] } as const;

/** Trainings of fewer events start no threads, which would cost more than they save: 10,000 events take 2.0 CPU s without them and 4.1 with two. */
const minThreadedEvents = 20_000;
const thisThread: Executor = {
  async run(kernel, input, count) {
    await sequential.run(kernel, input, count);
    // A request to stop arrives between kernels.
    await setImmediate();
  },
};

type Report = (part: keyof typeof shares, fraction: number, stage: string, message: string) => void;

async function read(task: TrainingTask, report: Report, signal: AbortSignal) {
  const algorithm = algorithmOf(task.algorithm);
  const { databaseUrl } = task;
  const client = new pg.Client(trainingConnection(databaseUrl));
  client.on('error', () => undefined);
  await client.connect();
  try {
    const onProgress = (fraction: number) =>
      report('reading', fraction, 'reading', `${Math.round(fraction * 100)} % of the records`);
    return await readTrainingData(client, task.source, {
      onProgress,
      signal,
      untilTs: task.untilTs,
      namedEventTypes: algorithm.namedEventTypes(task.parameters),
      needs: algorithm.needs,
      readers: { databaseUrl, count: task.readers, memoryAdvice: task.memoryAdvice },
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Trains one model, from the records to the files. */
async function run(
  task: TrainingTask,
  { signal, report: reportAll }: ThreadContext,
): Promise<TrainingResult> {
  const report: Report = (part, fraction, stage, message) => {
    const [from, to] = shares[part];
    reportAll(stage, from + (to - from) * fraction, message);
  };
  const clock = startClock();
  report('reading', 0, 'reading', 'the records');
  const input = await read(task, report, signal);
  const readSeconds = clock();

  const algorithm = algorithmOf(task.algorithm);
  const { events, users, items } = input.counts;
  const size = { events, users, items };
  checkSize(algorithm, task.parameters, size);
  const { itemIds, eventTypes, userCodes, itemCodes } = input;
  const names = { eventTypes, targetEventType: task.source.target_event_type, userCodes, itemCodes };
  const threads = events < minThreadedEvents ? undefined : startThreads(task.threads);
  try {
    let searchSeconds = 0;
    const trained = await algorithm.train(input.data, threads ?? thisThread, {
      parameters: task.parameters,
      names,
      values: input.snapshot.values,
      windowBytes: task.windowBytes,
      signal,
      onProgress: (stage, fraction, message) => {
        if (stage === 'fitting' && searchSeconds === 0) searchSeconds = clock();
        report('training', fraction, stage, message);
      },
    });
    const { priorStrength } = trained;
    const fitSeconds = clock();

    report('writing', 0, 'writing', 'the model');
    await using store = await openObjectStore(task.objects);
    const file = trained.model.encode({ itemIds, ...names });
    const object = await store.put(task.objectKey, file, { signal });
    report('writing', 0.5, 'writing', 'the training snapshot');
    const snapshotFile = encodeSnapshot({ ...input.snapshot, priorStrength });
    const snapshot = await store.put(task.snapshotKey, snapshotFile, { signal });
    const seconds = { read: readSeconds, search: searchSeconds, fit: fitSeconds, write: clock() };
    return {
      object,
      snapshot: { key: task.snapshotKey, ...snapshot, attributes: input.snapshot.values.names },
      training: {
        ...describeTraining(trained.report, input),
        chosen_parameters: trained.parameters,
        usage_evidence: priorStrength,
        seconds,
        file_bytes: object.size,
      },
    };
  } catch (error) {
    throw explainMemory(error, algorithm, task.parameters, size);
  } finally {
    await threads?.close();
  }
}

/** Returns the seconds since its last call. */
function startClock(): () => number {
  let last = performance.now();
  return () => {
    const seconds = (performance.now() - last) / 1000;
    last = performance.now();
    return Math.round(seconds * 1000) / 1000;
  };
}

await runThreadWork(run);
