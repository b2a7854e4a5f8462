import { expect, test } from 'vitest';
import { EventTypes, isOverfull } from '../../src/training/event-types.ts';

const counted = (names: readonly string[]) => {
  const types = new EventTypes('buy', ['named']);
  for (const name of names) types.count(Buffer.from(name).toString('latin1'));
  return types;
};

test('types that several readers count are numbered as if one had counted them', () => {
  const [first, second] = [
    ['view', 'é', 'buy', 'view'],
    ['rare', 'buy', 'é', 'named', 'view'],
  ];
  const joined = counted(first);
  const numbers = joined.add(counted(second).seen);
  const whole = counted([...first, ...second]);
  expect(joined.choose()).toEqual(whole.choose());
  expect(joined.targetCount).toBe(2);
  // In the order of the second reader: buy, named, rare, é, view.
  expect([...numbers]).toEqual([0, 1, 4, 3, 2]);
});

test('a reader says when some types share a number', () => {
  const names = Array.from({ length: 65_534 }, (_, n) => `t${n}`);
  expect(isOverfull(counted(names.slice(1)).seen)).toBe(false);
  expect(isOverfull(counted(names).seen)).toBe(true);
});
