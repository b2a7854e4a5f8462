import { expect, test } from 'vitest';
import { describeStep, searchSteps } from '../src/g1/search/search-steps.ts';

test('every step of a search has words for people who wait', () => {
  const signals = {
    items: 100,
    types: 3,
    negativeTypes: [2],
    ordered: true,
    userAttributes: true,
    itemAttributes: true,
  };
  const names = searchSteps(signals, {}).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) expect(describeStep(name, ['buy', 'view', 'return'])).not.toBe(name);
  expect(describeStep('weight of event type 1', ['buy', 'view'])).toContain('“view”');
});
