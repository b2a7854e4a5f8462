import { expect, test } from 'vitest';
import { secondsLeft } from '../src/time-left.ts';

const start = 1_000_000;
const at = (seconds: number, fraction: number) => ({ ts: start + seconds * 1000, fraction });
const left = (seconds: number, ...samples: { ts: number; fraction: number }[]) =>
  secondsLeft(start, samples, start + seconds * 1000);

test('a job at an even pace needs as long for the rest as for what is done', () => {
  expect(left(50, at(10, 0.1), at(30, 0.3), at(50, 0.5))).toBe(50);
});

test('a job that has become slower is not promised to end at its first pace', () => {
  // Half of it in 10 seconds, then a tenth in 40.
  expect(left(50, at(10, 0.5), at(50, 0.6))).toBe(160);
});

test('a job that has become faster is not promised to stay so', () => {
  expect(left(100, at(50, 0.1), at(100, 0.5))).toBe(100);
});

test('a stage without reports does not make the time infinite', () => {
  expect(left(80, at(40, 0.5))).toBe(800);
});

test('nothing is said before the job has a pace', () => {
  expect(left(30)).toBeUndefined();
  expect(left(30, at(1, 0.01))).toBeUndefined();
});
