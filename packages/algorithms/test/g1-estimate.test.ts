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
    events: 1e6,
    seconds: { read: 0, search: 0, fit: 1, write: 0 },
  };
  expect(secondsLike(past, {}, 1e6) - secondsLike(past, given, 1e6)).toBe(2);
});

test('the estimate counts the memory of second-order transitions, which is bounded', () => {
  const few = { neighbors: 1 };
  const memoryOf = (events: number) => estimate({ events, users: 1e4, items: 100 }, few).memoryBytes;
  // Beside the 45 bytes of each event, as many pairs as events, up to 2^18.
  const perEvent = (memoryOf(2e5) - memoryOf(1e5)) / 1e5 - 45;
  expect(perEvent).toBe(2 * (8 + 30 * 8) + 12 + 30 * 5);
  expect(memoryOf(2e6) - memoryOf(1e6)).toBeCloseTo(45 * 1e6, 0);
});

test('from ten million events on, the search takes as long as on its sample, and the rest grows', () => {
  const secondsOf = (events: number) => estimate({ events, users: 1e5, items: 1e4 }, {}).seconds;
  const sampled = secondsOf(20e6);
  expect(sampled).toBeLessThan(secondsOf(10e6));
  // One more fit of twenty million events, with 200 neighbors.
  expect(secondsOf(40e6) - sampled).toBeCloseTo(5e-6 * 20e6, 6);
  const seconds = { read: 1, search: 100, fit: 10, write: 1 };
  expect(secondsLike({ parameters: {}, events: 20e6, seconds }, {}, 40e6)).toBe(2 * 12 + 100);
  expect(secondsLike({ parameters: {}, events: 1e6, seconds }, {}, 40e6)).toBe(40 * 12 + 4 * 100);
});
