import { expect, test } from 'vitest';
import { chooseColors, chooseShapes } from '../src/colors.ts';
import { placeLabels } from '../src/place-labels.ts';

const at = (x: number, y: number) => ({ x, y, radius: 20 });

test('labels lie above their bubbles', () => {
  expect(placeLabels([at(0, 0), at(200, 0)], ['Crime', 'History'], 12)).toEqual(['top', 'top']);
});

test('a label that would lie on another is below its bubble', () => {
  const texts = ['Crime and Thriller', 'History and Travel'];
  expect(placeLabels([at(0, 0), at(60, 0)], texts, 12)).toEqual(['top', 'bottom']);
});

test('a label for which there is no room is left out', () => {
  const row = [at(0, 0), at(60, 0), at(120, 0)];
  const texts = row.map(() => 'A name much wider than its bubble');
  expect(placeLabels(row, texts, 12)).toEqual(['top', 'bottom', undefined]);
});

test('a label never lies on another bubble', () => {
  expect(placeLabels([at(0, 0), at(0, 45)], ['Crime', 'History'], 12)).toEqual(['bottom', 'top']);
});

test('twelve clusters have twelve colours', () => {
  const places = Array.from({ length: 12 }, (_, index) => ({ x: index, y: 0 }));
  expect(new Set(chooseColors(places)).size).toBe(12);
});

test('clusters of the same colour have different shapes', () => {
  expect(chooseShapes(['red', 'blue', 'red', 'red', 'red', 'red'])).toEqual([
    'circle',
    'circle',
    'rect',
    'triangle',
    'diamond',
    'circle',
  ]);
});
