import { expect, test } from 'vitest';
import { estimate, secondsLike } from '../src/g1/estimate.ts';

const size = { events: 1e6, users: 1e5, items: 1e4 };

test('the estimate counts two fits for event types, unless what they decide is given', () => {
  const fit = estimate({ ...size, events: 2e6 }, {}).seconds - estimate(size, {}).seconds;
  const given = { regularization: 10, event_weights: { buy: 1 } };
  const secondsOf = (parameters: Parameters<typeof estimate>[1]) => estimate(size, parameters).seconds;
  const fits = (secondsOf({}) - secondsOf(given)) / (fit / 9);
  expect(fits).toBeCloseTo(2, 6);
  expect(secondsOf({ event_weights: { buy: 1 } })).toBe(secondsOf({}));
  const past = {
    parameters: {
      ...given,
      popularity_regularization: 1,
      activity_exponent: 1,
      attribute_weight: 1,
    },
    seconds: { read: 0, search: 0, fit: 1, write: 0 },
  };
  expect(secondsLike(past, {}) - secondsLike(past, given)).toBe(2);
});
