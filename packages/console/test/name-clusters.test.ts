import { expect, test } from 'vitest';
import { nameClusters } from '../src/screens/audiences/name-clusters.ts';
import type { Cluster } from '../src/screens/audiences/read-result.ts';

const strength = { share: 0.5, share_of_all: 0.1, lift: 5 };

function clusterOf(id: number, values: readonly (string | number | boolean)[], items: readonly string[]) {
  const cluster: Cluster = {
    cluster_id: id,
    size: 10,
    cohesion: 0.5,
    attributes: values.map((value) => ({ attribute: 'genre', value, ...strength })),
    items: items.map((item_id) => ({ item_id, ...strength })),
    x: 0,
    y: 0,
  };
  return cluster;
}

const titleOf = (id: string) => `Title of ${id}`;
const namesOf = (...clusters: Cluster[]) =>
  [...nameClusters(clusters, titleOf).values()].map(({ name }) => name);

test('a cluster is named by its two strongest values', () => {
  expect(namesOf(clusterOf(1, ['Crime', 'Thriller', 'Noir'], ['a']))).toEqual(['Crime, Thriller']);
});

test('values of other attributes and titles describe a cluster, but do not name it', () => {
  const crime = clusterOf(1, ['Crime'], ['a', 'b', 'c']);
  const author = { attribute: 'author', value: 'Mina Aldane', ...strength };
  const cluster = { ...crime, attributes: [...crime.attributes, author] };
  expect(nameClusters([cluster], titleOf).get(1)).toEqual({
    name: 'Crime',
    more: 'Title of a, Title of b, author Mina Aldane',
  });
});

test('numbers and truth values are named with their attribute', () => {
  expect(namesOf(clusterOf(1, [1998, false], []))).toEqual(['genre 1998, not genre']);
});

test('without values, a cluster is named by the titles of its items', () => {
  expect(namesOf(clusterOf(1, [], ['a', 'b', 'c']))).toEqual(['Title of a, Title of b']);
});

test('no two clusters have the same name', () => {
  const same = clusterOf(1, ['Crime', 'Noir'], ['a']);
  const names = namesOf(
    same,
    { ...same, cluster_id: 2 },
    { ...same, cluster_id: 3 },
    clusterOf(4, [], []),
    clusterOf(5, [], []),
  );
  expect(names.slice(0, 2)).toEqual(['Crime, Noir', 'Crime, Noir, Title of a']);
  expect(new Set(names).size).toBe(5);
});
