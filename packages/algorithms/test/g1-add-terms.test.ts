import { expect, test } from 'vitest';
import { readHistory } from '../src/g1/data/history.ts';
import { fitModel } from '../src/g1/index.ts';
import { addTerms } from '../src/g1/model/add-terms.ts';
import { newScratch, reachedBit } from '../src/g1/model/scratch.ts';
import { partsOf, termsOf } from '../src/g1/model/terms.ts';
import { sequential } from '../src/index.ts';
import { syntheticEvents, userOf } from './synthetic-data.ts';

const events = syntheticEvents({ users: 400, items: 300, perUser: 10, ordered: true });
const trained = fitModel({ events }, sequential, { k: 50 });

test.each([
  ['fewer entries than there are items', [7]],
  ['more', [1, 5, 9, 2, 120, 33, 77, 210, 150, 60, 299, 14]],
])('adds terms with %s in their order, to the last bit', async (_, items) => {
  const model = await trained;
  const user = userOf(items);
  const history = readHistory(user.events, 0, items.length, model.weights, []);
  const terms = [...termsOf(model, history, [])];
  const entries = terms.reduce((sum, { row }) => sum + model.offsets[row + 1]! - model.offsets[row]!, 0);
  expect(entries < model.items).toBe(items.length === 1);

  const { score, state, touched } = newScratch(model.items);
  const size = addTerms(model, { score, state, touched }, terms);
  const expected = Array.from({ length: model.items }, (_, item) =>
    [...partsOf(model, terms, item).values()].reduce((sum, { amount }) => sum + amount, 0),
  );
  expect([...score]).toEqual(expected);
  const reached = [...expected.keys()].filter((item) => expected[item] !== 0);
  expect(touched.slice(0, size).toSorted()).toEqual(Uint32Array.from(reached));
  expect([...state]).toEqual(expected.map((sum) => (sum === 0 ? 0 : reachedBit)));
});
