import { describe, expect, test } from 'vitest';
import { nearestName } from '../../src/kernel/lib/nearest-name.ts';

describe('the nearest known name', () => {
  const known = ['view', 'add_to_cart', 'purchase'];

  test.each([
    ['Purchase', 'purchase'],
    ['purchased', 'purchase'],
    ['pruchase', 'purchase'],
    ['add-to-cart', 'add_to_cart'],
    ['AddToCart', 'add_to_cart'],
    ['veiws', undefined],
    ['views', 'view'],
    ['subscription', undefined],
    ['', undefined],
  ])('to %j is %j', (name, meant) => {
    expect(nearestName(name, known)).toBe(meant);
  });

  test('is undefined if no names are known', () => {
    expect(nearestName('view', [])).toBeUndefined();
  });
});
