import { describe, expect, test } from 'vitest';
import { fitterMemory, signalsOf } from '../src/g1/fitter.ts';
import { fitModel, train } from '../src/g1/index.ts';
import { defaults, type G1Parameters } from '../src/g1/parameters.ts';
import { type Executor, sequential, type TrainingData } from '../src/index.ts';
import { startThreads } from '../src/threads/start.ts';
import { fileOf, syntheticAttributes, syntheticData, syntheticEvents } from './synthetic-data.ts';

const plain = syntheticEvents({ users: 300, items: 280, perUser: 12 });
const variants: [name: string, data: TrainingData, given: Partial<G1Parameters>][] = [
  ['one event type', { events: plain }, {}],
  ['an order', { events: { ...plain, ordered: true } }, { pairs: 0.5 }],
  ['several event types and attributes', syntheticData(), { typeWeights: [1, 0.5], attributeWeight: 0.3 }],
  ['a low-rank part', { events: plain }, { rank: 64, lowRankWeight: 0.4 }],
  ['attributes for new items', { events: plain, itemAttributes: syntheticAttributes(280) }, {}],
];

const kernels = ['cooccurrence', 'regression'] as const;

/** Counts the runs of the two kernels: one per window. */
function countRuns(inner: Executor) {
  const runs = { cooccurrence: 0, regression: 0 };
  const executor: Executor = {
    run: (kernel, input, count) => {
      for (const name of kernels) if (kernel.name === name) runs[name]++;
      return inner.run(kernel, input, count);
    },
  };
  return { executor, runs };
}

describe.each(variants)('a model of data with %s', (_, data, given) => {
  const parameters = { ...defaults(signalsOf(data)), ...given, k: 20 };
  const fitIn = async (windowBytes?: number) => {
    const { executor, runs } = countRuns(sequential);
    const model = await fitModel(data, executor, parameters, undefined, fitterMemory(windowBytes));
    return { file: fileOf(model), runs };
  };
  const whole = fitIn();

  test('is fitted in one window by default, and so are users without events', async () => {
    expect((await whole).runs).toEqual({ cooccurrence: 1, regression: 2 });
  });

  test.each([
    [7000, 2],
    [2000, 7],
    // Each source and each target is a window of its own.
    [1, 60],
  ])('is the same to the byte in windows of %i bytes, at least %i of them', async (windowBytes, fewest) => {
    const { file, runs } = await fitIn(windowBytes);
    for (const name of kernels) expect(runs[name]).toBeGreaterThanOrEqual(fewest);
    expect(file.equals((await whole).file)).toBe(true);
  });
});

test('a search and its model are the same to the byte in small windows on three threads', async () => {
  const data = syntheticData();
  const whole = await train(data, sequential);
  const threads = startThreads(3);
  const { executor, runs } = countRuns(threads);
  const other = await train(data, executor, { windowBytes: 3000 });
  await threads.close();
  expect(runs.regression).toBeGreaterThan(4 * other.fits);
  expect(other.tried).toEqual(whole.tried);
  expect(fileOf(other.model).equals(fileOf(whole.model))).toBe(true);
});
