import { describe, expect, test } from 'vitest';
import { type Clustering, clusterUsers, matchClusters, seededRandom } from '../src/index.ts';
import { adjustedRand } from './adjusted-rand.ts';
import { plantedTastes } from './planted-tastes.ts';
import { eventsOf } from './synthetic-data.ts';

const eight = { users: 4000, items: 800, tastes: 8, noise: 0.2, perUser: 20 };
const typeWeights = [1];
/** Which items belong to each taste. */
const values = {
  offsets: Uint32Array.from({ length: 9 }, (_, taste) => taste * 100),
  items: Uint32Array.from({ length: 800 }, (_, place) => (place % 100) * 8 + Math.floor(place / 100)),
};
const planted = plantedTastes(eight);
const clustering = clusterUsers({ events: planted.events, typeWeights, values });

/** The planted taste that most users of a group have. */
function tasteOfCluster({ clusterOf }: Clustering, cluster: number): number {
  const counts = new Uint32Array(8);
  for (const [user, own] of clusterOf.entries()) if (own === cluster) counts[planted.tasteOf[user]!]!++;
  return counts.indexOf(Math.max(...counts));
}

describe('clusters of users', () => {
  test('are the planted ones, in number and members', () => {
    expect(clustering.clusters.length).toBe(8);
    expect(adjustedRand(clustering.clusterOf, planted.tasteOf)).toBeGreaterThan(0.95);
    for (const [cluster, { size, cohesion }] of clustering.clusters.entries()) {
      expect(size).toBe(clustering.clusterOf.filter((own) => own === cluster).length);
      expect(cohesion).toBeGreaterThan(0.9);
      expect(cohesion).toBeLessThanOrEqual(1);
    }
    const sizes = clustering.clusters.map(({ size }) => size);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  test('are described by the planted items and values', () => {
    for (const [cluster, { items, values }] of clustering.clusters.entries()) {
      const taste = tasteOfCluster(clustering, cluster);
      expect(items.length).toBe(10);
      for (const { index, share, shareOfAll, lift } of items) {
        expect(index % 8).toBe(taste);
        expect(lift).toBeGreaterThan(2);
        expect(share).toBeGreaterThan(shareOfAll);
      }
      expect(values.map(({ index }) => index)).toEqual([taste]);
      // 80 % by taste and an eighth of the rest, less what the taste gave twice: an item counts once a user.
      expect(values[0]!.share).toBeGreaterThan(0.75);
      expect(values[0]!.share).toBeLessThan(0.825);
      expect(values[0]!.shareOfAll).toBeCloseTo(1 / 8, 1);
    }
  });

  test('are apart on the map, with their users around them', () => {
    const { points, clusters, clusterOf } = clustering;
    expect(points.user.length).toBe(2000);
    const nearest = points.user.filter((user, point) => {
      const away = clusters.map(({ x, y }) => Math.hypot(x - points.x[point]!, y - points.y[point]!));
      return away.indexOf(Math.min(...away)) === clusterOf[user];
    });
    expect(nearest.length / points.user.length).toBeGreaterThan(0.8);
    for (const at of [...points.x, ...points.y]) expect(Math.abs(at)).toBeLessThanOrEqual(1);
    for (const { radius } of clusters) expect(radius).toBeGreaterThan(0);
  });

  test('are deterministic, to the byte', () => {
    const small = plantedTastes({ ...eight, users: 600, tastes: 4 });
    const [one, other] = [1, 2].map(() => clusterUsers({ events: small.events, typeWeights, values }));
    expect(one!.clusters.length).toBe(4);
    expect(other).toEqual(one);
  });

  test('keep their IDs when a tenth of the events are new', () => {
    const later = clusterUsers({ events: plantedTastes({ ...eight, more: 0.1 }).events, typeWeights });
    const before = clustering.clusterOf.map((cluster) => (cluster < 0 ? 0 : cluster + 11));
    const ids = matchClusters({
      previous: before,
      current: later.clusterOf,
      clusters: later.clusters.length,
    });
    const same = before.filter((id, user) => id === ids[later.clusterOf[user]!]);
    expect(same.length / before.length).toBeGreaterThan(0.95);
  });

  test('are a single one for data without structure', () => {
    for (const seed of [1, 2, 3]) {
      const { events } = plantedTastes({ ...eight, users: 1500, noise: 1, seed });
      const { clusters } = clusterUsers({ events, typeWeights });
      expect(clusters.length).toBe(1);
      expect(clusters[0]!.cohesion).toBeLessThan(0.1);
    }
  });

  test('that are too small are dropped, and their users are unassigned', () => {
    const smallest = clustering.clusters.at(-1)!.size;
    const left = clusterUsers({ events: planted.events, typeWeights }, { minUsers: smallest + 1 });
    expect(left.clusters.length).toBe(7);
    expect(left.clusterOf.filter((cluster) => cluster < 0).length).toBe(smallest);
    const none = clusterUsers({ events: planted.events, typeWeights }, { minUsers: 5000, maxClusters: 1 });
    expect(none.clusters).toEqual([]);
    expect(none.points.user.length).toBe(0);
  });

  test('never exceed the requested maximum', () => {
    const one = clusterUsers({ events: planted.events, typeWeights }, { maxClusters: 1 });
    expect(one.clusters.map(({ size }) => size)).toEqual([4000]);
    const three = clusterUsers({ events: planted.events, typeWeights }, { maxClusters: 3 });
    expect(three.clusters.length).toBeLessThanOrEqual(3);
  });

  test('can be found in data of any size', () => {
    expect(clusterUsers({ events: eventsOf([]), typeWeights }).clusters).toEqual([]);
    expect(clusterUsers({ events: eventsOf([[], []]), typeWeights }).clusterOf).toEqual(
      Int32Array.of(-1, -1),
    );
    const two = clusterUsers({ events: eventsOf([[0, 1], [], [0, 2]]), typeWeights });
    expect(two.clusterOf).toEqual(Int32Array.of(0, -1, 0));
    for (const { x, y, radius, cohesion } of two.clusters)
      for (const number of [x, y, radius, cohesion]) expect(Number.isFinite(number)).toBe(true);
    const alike = clusterUsers({ events: eventsOf(Array.from({ length: 50 }, () => [0, 1])), typeWeights });
    expect(alike.clusters.map(({ size }) => size)).toEqual([50]);
  });

  test('report progress, and stop if the listener throws', () => {
    const seen: number[] = [];
    const stop = () =>
      clusterUsers(
        { events: planted.events, typeWeights },
        {
          onProgress: (stage, fraction) => {
            seen.push(fraction);
            if (stage === 'tastes') throw new Error('stop');
          },
        },
      );
    expect(stop).toThrow('stop');
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });
});

describe('cluster IDs', () => {
  test('stay with their users, and new ones were never used before', () => {
    const previous = Int32Array.of(7, 7, 7, 7, 3, 3, 3, 0, 0, 0);
    const current = Int32Array.of(2, 2, 2, 0, 0, 0, 0, 1, 1, -1);
    expect(matchClusters({ previous, current, clusters: 3, usedIds: [1, 2, 9] })).toEqual([3, 4, 7]);
  });

  test('are unique: the larger part of a cluster that was split keeps the ID', () => {
    const previous = Int32Array.of(1, 1, 1, 1, 1);
    expect(matchClusters({ previous, current: Int32Array.of(0, 0, 1, 1, 1), clusters: 2 })).toEqual([2, 1]);
  });

  test('equal those of a naive reference implementation, for any input', () => {
    const random = seededRandom(5);
    for (let round = 0; round < 200; round++) {
      const any = (below: number) => Math.floor(random() * below);
      const previous = Int32Array.from({ length: 40 }, () => any(4));
      const current = previous.map((id) => (random() < 0.6 ? id - 1 : any(4) - 1));
      expect(matchClusters({ previous, current, clusters: 3, usedIds: [2] })).toEqual(
        naiveMatch(previous, current, 3, [2]),
      );
    }
  });
});

/** Looks again and again for the pair with the largest overlap among those that are left. */
function naiveMatch(previous: Int32Array, current: Int32Array, clusters: number, used: number[]): number[] {
  const known = [...previous.keys()].filter((user) => previous[user]! > 0 && current[user]! >= 0);
  const free = new Set(previous.filter((id) => id > 0));
  const taken = new Set([...used, ...free]);
  const ids = new Map<number, number>();
  for (;;) {
    let best = { overlap: 0, id: 0, cluster: 0 };
    for (const id of [...free].sort((a, b) => a - b))
      for (let cluster = 0; cluster < clusters; cluster++) {
        if (ids.has(cluster)) continue;
        const either = known.filter((user) => previous[user] === id || current[user] === cluster).length;
        const both = known.filter((user) => previous[user] === id && current[user] === cluster).length;
        if (both / either > best.overlap) best = { overlap: both / either, id, cluster };
      }
    if (!(best.overlap >= 0.3)) break;
    ids.set(best.cluster, best.id);
    free.delete(best.id);
  }
  return Array.from({ length: clusters }, (_, cluster) => {
    const id = ids.get(cluster) ?? [1, 2, 3, 4, 5, 6, 7, 8].find((candidate) => !taken.has(candidate))!;
    taken.add(id);
    return id;
  });
}

test('the adjusted Rand index equals a count of all pairs', () => {
  const random = seededRandom(3);
  const one = Array.from({ length: 60 }, () => Math.floor(random() * 4));
  const other = one.map((cluster) => (random() < 0.5 ? cluster : Math.floor(random() * 3)));
  let [together, first, second, pairs] = [0, 0, 0, 0];
  for (let a = 0; a < one.length; a++)
    for (let b = a + 1; b < one.length; b++) {
      pairs++;
      if (one[a] === one[b]) first++;
      if (other[a] === other[b]) second++;
      if (one[a] === one[b] && other[a] === other[b]) together++;
    }
  const expected = (first * second) / pairs;
  expect(adjustedRand(one, other)).toBeCloseTo((together - expected) / ((first + second) / 2 - expected), 12);
  expect(adjustedRand(one, one)).toBe(1);
});
