import { algorithms as definitions } from '@tastegraph/contract';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  AffinityReader,
  type Algorithm,
  algorithmOf,
  algorithmOfFile,
  algorithms,
  type Catalogue,
  type Executor,
  type Interactions,
  InteractionsBuilder,
  knownUsers,
  ModelFileError,
  type PackedModel,
  packTexts,
  readModel,
  sequential,
  type TasteSnapshot,
  type TrainingData,
} from '../src/index.ts';
import { startThreads } from '../src/kernels/threads/start.ts';
import { ItemValuesBuilder } from '../src/taste/item-values.ts';
import { syntheticData, userOf } from './synthetic-data.ts';

/** What every registered algorithm guarantees. */

const minutesPerDay = 1440;
const itemIds = (items: number) => Array.from({ length: items }, (_, item) => `i${item}`);
const names: Omit<Catalogue, 'itemIds'> = {
  eventTypes: ['buy', 'view'],
  targetEventType: 'buy',
  userCodes: [{ name: 'plan', kind: 'CATEGORICAL', values: ['p0', 'p1', 'p2', 'p3'] }],
  itemCodes: [],
};

/** Two event types, times over some weeks, attributes of users and items. */
function fullData(): TrainingData {
  const data = syntheticData();
  const time = Uint32Array.from(data.events.item, (_, event) => (event % 10) * 3 * minutesPerDay);
  return { ...data, events: { ...data.events, time } };
}

function eventsOf(lists: readonly (readonly number[])[], items = 0): Interactions {
  const builder = new InteractionsBuilder();
  for (const [user, list] of lists.entries())
    for (const [place, item] of list.entries()) builder.push(user, item, 0, 1, place * minutesPerDay);
  return builder.build({ ordered: true, users: lists.length, items, hasTimes: true });
}

async function trainOn(
  algorithm: Algorithm,
  data: TrainingData = fullData(),
  { executor = sequential, parameters = {} }: { executor?: Executor; parameters?: object } = {},
) {
  const codes = data.userAttributes ? names : { ...names, userCodes: [] };
  const trained = await algorithm.train(data, executor, { parameters, names: codes });
  const catalogue = { ...codes, itemIds: itemIds(data.events.items) };
  return { ...trained, catalogue, file: Buffer.concat([...trained.model.encode(catalogue)]) };
}

const learned = new Map<string, ReturnType<typeof trainOn>>();
function trainOnce(algorithm: Algorithm) {
  const known = learned.get(algorithm.type) ?? trainOn(algorithm);
  learned.set(algorithm.type, known);
  return known;
}

/** Users whom the training saw, and users of whom it knows little or nothing. */
const users = {
  known: userOf([1, 5, 9], [1]),
  'with a view': userOf([1, 5, 9], [2], [0, 1, 0]),
  'without events': userOf([], [3]),
  'without events and attributes': userOf([]),
  'with unknown items and attributes': userOf([100_000], [999]),
  'who looks at two items': { ...userOf([1, 5, 9], [1]), anchors: [3, 7] },
  'without events who looks at an item': { ...userOf([]), anchors: [3] },
  'with every item': userOf(Array.from({ length: 60 }, (_, item) => item)),
};

test('the registry has the algorithms of the contract, each with its own magic and kernels', () => {
  expect(algorithms.map(({ type }) => type)).toEqual(definitions.map(({ type }) => type));
  const distinct = (values: readonly unknown[]) => expect(new Set(values).size).toBe(values.length);
  distinct(algorithms.map(({ file }) => file.magic));
  distinct(algorithms.flatMap(({ kernels }) => kernels.map(({ name }) => name)));
  expect(() => algorithmOf('constructor')).toThrow('no algorithm');
});

describe.each(algorithms.map((algorithm) => [algorithm.type, algorithm] as const))(
  '%s',
  (type, algorithm) => {
    afterEach(() => vi.unstubAllGlobals());

    test('trains the same model to the byte, on any number of threads', async () => {
      const { file } = await trainOnce(algorithm);
      expect((await trainOn(algorithm)).file.equals(file)).toBe(true);
      for (const count of [1, 3]) {
        const executor = startThreads(count);
        const other = await trainOn(algorithm, fullData(), { executor });
        await executor.close();
        expect(other.file.equals(file)).toBe(true);
      }
    });

    test('reports parameters that its schema accepts, and does not change given ones', async () => {
      const { parameters } = await trainOnce(algorithm);
      const { properties = {} } =
        definitions.find((definition) => definition.type === type)?.parameters ?? {};
      for (const [name, value] of Object.entries(parameters)) {
        expect(Object.keys(properties)).toContain(name);
        const limits = (properties as Record<string, { minimum?: number; maximum?: number }>)[name];
        if (typeof value !== 'number') continue;
        expect(value).toBeGreaterThanOrEqual(limits?.minimum ?? -Infinity);
        expect(value).toBeLessThanOrEqual(limits?.maximum ?? Infinity);
      }
      expect((await trainOn(algorithm, fullData(), { parameters })).parameters).toEqual(parameters);
    });

    test('reports metrics of users who were not used to choose parameters', async () => {
      const { report, priorStrength } = await trainOnce(algorithm);
      expect(report.validationUsers).toBeGreaterThan(0);
      expect(report.test.users).toBeGreaterThan(0);
      expect(report.validationUsers + report.test.users).toBeLessThanOrEqual(150);
      for (const { mean, low, high } of [report.test.ndcg20, report.popularity.ndcg20])
        expect([0, low, mean, high, 1]).toEqual([0, low, mean, high, 1].toSorted((a, b) => a - b));
      expect(priorStrength).toBeGreaterThanOrEqual(0);
    });

    test.each(Object.entries(users))(
      'gives a user %s lists in descending order, with explained scores',
      async (_, user) => {
        const scorer = (await trainOnce(algorithm)).model.scorer();
        const list = scorer.recommend(user, { n: 100 });
        const seen = new Set(user.events.item.filter((_item, place) => user.events.type[place] === 0));
        expect(new Set(list.map(({ item }) => item)).size).toBe(list.length);
        expect(list.length).toBe(60 - [...seen].filter((item) => item < 60).length);
        for (const [place, { item, score, isFilled }] of list.entries()) {
          expect(seen.has(item)).toBe(false);
          expect(score).toBeLessThanOrEqual(list[place - 1]?.score ?? Infinity);
          if (isFilled) continue;
          expect(scorer.explain(user, item).reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(
            score,
            9,
          );
        }
        expect(scorer.recommend(user, { n: 100, keepSeen: true })).toHaveLength(60);
      },
    );

    test('continues a list where the previous one ended, whatever is masked', async () => {
      const scorer = (await trainOnce(algorithm)).model.scorer();
      const all = scorer.recommend(users.known, { n: 100 });
      let after: (typeof all)[number] | undefined;
      const found: typeof all = [];
      for (;;) {
        const next = scorer.recommend(users.known, { n: 7, after, masked: (item) => item % 3 === 0 });
        found.push(...next);
        if (next.length < 7) break;
        after = next.at(-1);
      }
      expect(found).toEqual(all.filter(({ item }) => item % 3 !== 0));
    });

    test.each(Object.entries(users))(
      'lists given items in the order of all, to a user %s',
      async (_, user) => {
        const scorer = (await trainOnce(algorithm)).model.scorer();
        const among = [59, 3, 41, 7, 100_000, 0, 1, 12, 30, 5];
        for (const options of [{}, { keepSeen: true, keepDisliked: true }, { n: 4 }]) {
          const list = scorer.recommend(user, { n: 100, ...options, among });
          const masked = (item: number) => !among.includes(item);
          expect(list).toEqual(scorer.recommend(user, { n: 100, ...options, masked }));
          expect(list.length).toBeLessThan(10);
        }
      },
    );

    test.each(Object.entries(users))(
      'boosts all items exactly, list by list, to a user %s',
      async (_, user) => {
        const scorer = (await trainOnce(algorithm)).model.scorer();
        const factorOf = (item: number) => (item % 3 === 0 ? 2.5 : item % 5 === 0 ? 0.2 : 1);
        const boost = { factorOf, maxFactor: 2.5 };
        const masked = (item: number) => item % 7 === 0;
        const expected = scorer
          .recommend(user, { n: 100, masked })
          .map((one) => ({ ...one, score: one.score * factorOf(one.item) }))
          .toSorted(
            (a, b) => Number(a.isFilled) - Number(b.isFilled) || b.score - a.score || a.item - b.item,
          );
        expect(scorer.recommend(user, { n: 100, masked, boost })).toEqual(expected);
        const found: typeof expected = [];
        for (let more = true; more; ) {
          const next = scorer.recommend(user, { n: 7, after: found.at(-1), masked, boost });
          found.push(...next);
          more = next.length === 7;
        }
        expect(found).toEqual(expected);
      },
    );

    test('stops when the signal aborts, before or during the training', async () => {
      const reason = new Error('canceled');
      const data = fullData();
      const before = algorithm.train(data, sequential, {
        parameters: {},
        names,
        signal: AbortSignal.abort(reason),
      });
      await expect(before).rejects.toBe(reason);
      const controller = new AbortController();
      const during = algorithm.train(data, sequential, {
        parameters: {},
        names,
        signal: controller.signal,
        onProgress: (_, fraction) => {
          expect(fraction).toBeGreaterThanOrEqual(0);
          controller.abort(reason);
        },
      });
      await expect(during).rejects.toBe(reason);
    });

    test('rejects with the allocation error if memory runs out, and can train again afterwards', async () => {
      const data = fullData();
      vi.stubGlobal('SharedArrayBuffer', function refuse() {
        throw new RangeError('Array buffer allocation failed');
      });
      await expect(trainOn(algorithm, data)).rejects.toThrow('allocation failed');
      vi.unstubAllGlobals();
      expect((await trainOn(algorithm, data)).file.equals((await trainOnce(algorithm)).file)).toBe(true);
      expect(algorithm.memoryAdvice).not.toBe('');
    });

    test('estimates a higher cost for more data, and accepts data of ordinary size', () => {
      const [small, large] = [1e5, 1e7].map((events) =>
        algorithm.estimate({ events, users: events / 5, items: events / 10 }, {}),
      );
      expect(small!.seconds).toBeGreaterThan(0);
      expect(large!.seconds).toBeGreaterThan(small!.seconds);
      expect(large!.memoryBytes).toBeGreaterThan(small!.memoryBytes);
      expect(algorithm.refuse({ events: 1e7, users: 1e6, items: 1e6 }, {})).toBeUndefined();
      const seconds = { read: 1, search: 2, fit: 3, write: 4 };
      expect(algorithm.secondsLike({ parameters: {}, events: 500, seconds }, {}, 500)).toBe(10);
    });

    test.each([
      ['no data', eventsOf([])],
      ['one user and one item', eventsOf([[0]])],
      ['one user with many items', eventsOf([[0, 1, 2, 3, 4]])],
      ['one item for everybody', eventsOf([[0], [0], [0]])],
      ['items that nobody had', eventsOf([[0, 1]], 10)],
      ['users without events', eventsOf([[], [0, 1], []])],
      ['events without a value', { ...eventsOf([[0, 1], [1]]), value: new Float32Array(3) }],
    ])('trains on %s, and recommends', async (_, events) => {
      const { model, file } = await trainOn(algorithm, { events });
      const list = model.scorer().recommend(userOf([0]), { n: 5 });
      expect(list).toHaveLength(Math.min(5, Math.max(0, events.items - 1)));
      expect(list.every(({ score }) => Number.isFinite(score))).toBe(true);
      expect(readModel(file).model.items).toBe(events.items);
    });

    const fileOf = ({ model, names: read }: PackedModel, ids: readonly string[]) =>
      Buffer.concat([...model.encode({ ...read, itemIds: ids })]);

    test('writes the same bytes after reading its file, and gives the same recommendations', async () => {
      const { file, model, catalogue } = await trainOnce(algorithm);
      expect(algorithmOfFile(file.subarray(0, 8))).toBe(algorithm);
      for (const options of [{}, { isChecked: true }]) {
        const read = readModel(file, options);
        expect(read.names).toEqual(names);
        expect(fileOf(read, catalogue.itemIds).equals(file)).toBe(true);
        for (const user of Object.values(users))
          expect(read.model.scorer(read.model.popular()).recommend(user, { n: 60 })).toEqual(
            model.scorer().recommend(user, { n: 60 }),
          );
      }
    });

    test('refuses a file that is truncated, modified, or from another release', async () => {
      const file = Buffer.from((await trainOnce(algorithm)).file);
      for (let length = 0; length < file.length; length += 97)
        expect(() => readModel(file.subarray(0, length))).toThrow(ModelFileError);
      for (let byte = 0; byte < file.length; byte += byte < 64 ? 1 : 53) {
        file[byte]! ^= 1 << (byte % 8);
        expect(() => readModel(file)).toThrow(ModelFileError);
        file[byte]! ^= 1 << (byte % 8);
      }
      const version = file[4]!;
      file[4] = algorithm.file.version + 1;
      expect(() => algorithmOfFile(file)).toThrow('this release reads version');
      expect(() => algorithmOfFile(Buffer.from('something else'))).toThrow(ModelFileError);
      file[4] = version;
      expect(() => readModel(file)).not.toThrow();
    });

    test('refuses to write a catalogue that does not match its model', async () => {
      const { model, catalogue } = await trainOnce(algorithm);
      const broken = { ...catalogue, itemIds: catalogue.itemIds.slice(1) };
      expect(() => Buffer.concat([...model.encode(broken)])).toThrow(ModelFileError);
    });

    test('predicts shares from 0 to 1 that add up, or says why it declines queries', async () => {
      if (algorithm.declines.QUERYING !== undefined) {
        expect(algorithm.declines.QUERYING).not.toBe('');
        return;
      }
      const { model, priorStrength } = await trainOnce(algorithm);
      const { events, userAttributes } = fullData();
      const values = new ItemValuesBuilder();
      for (let item = 0; item < events.items; item++) values.add({ half: item % 2 });
      const ids = packTexts(Array.from({ length: events.users }, (_, user) => `u${user}`));
      const snapshot: TasteSnapshot = {
        ...knownUsers({ userIds: ids, events, userAttributes }),
        values: values.build(),
        priorStrength,
      };
      const affinity = new AffinityReader(snapshot, model);
      const [one, other] = [affinity.of([0]), affinity.of([1])];
      for (let user = 0; user < snapshot.events.users; user++) {
        expect(one(user)).toBeGreaterThanOrEqual(0);
        expect(one(user) + other(user)).toBeCloseTo(1, 5);
      }
    });

    test('has event type weights, or says why it declines clustering', async () => {
      const { model } = await trainOnce(algorithm);
      if (algorithm.declines.CLUSTERING === undefined) expect(model.typeWeights).toHaveLength(2);
      else expect(algorithm.declines.CLUSTERING).not.toBe('');
    });
  },
);
