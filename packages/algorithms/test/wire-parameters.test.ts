import { expect, test } from 'vitest';
import { defaults } from '../src/g1/parameters.ts';
import { fromWire } from '../src/g1/wire-parameters.ts';

test('an event type without a weight in event_weights has its default weight', () => {
  const types = ['buy', 'view', 'click', 'constructor'];
  const signals = { items: 10, types: 4, ordered: true, userAttributes: false, itemAttributes: false };
  const { typeWeights } = defaults(signals);
  expect(typeWeights).toEqual([1, 0.5, 0.3, 0.3]);
  expect(fromWire({ event_weights: {} }, types).typeWeights).toEqual(typeWeights);
  expect(fromWire({ event_weights: { click: 0.9 } }, types).typeWeights).toEqual(typeWeights.with(2, 0.9));
  expect(fromWire({}, types).typeWeights).toBeUndefined();
});
