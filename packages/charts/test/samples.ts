import { type Chart, clusterMap, distributionChart } from '../src/index.ts';

export const edgesOf = (bins: number): number[] => Array.from({ length: bins + 1 }, (_, edge) => edge / bins);

export function distributionOf(counts: readonly number[], attribute = 'genres', value = 'Comedy'): Chart {
  const userCount = counts.reduce((sum, count) => sum + count, 0);
  return distributionChart({ attribute, value, edges: edgesOf(counts.length), counts, userCount });
}

export const sampleDistribution = (): Chart => distributionOf([1707, 593, 0, 397, 286, 1]);

export function mapOf(groups: number, pointCount: number, label = 'Comedy, Romance'): Chart {
  const clusters = Array.from({ length: groups }, (_, index) => ({
    id: index + 1,
    size: Math.round(3000 / (index + 1)),
    x: Math.cos(index * 2.4) * Math.sqrt(index),
    y: Math.sin(index * 2.4) * Math.sqrt(index),
    radius: 0.5,
    label,
  }));
  const points = Array.from({ length: pointCount }, (_, index) => ({
    x: Math.cos(index) * (index % 7),
    y: Math.sin(index) * (index % 5),
    cluster: index % 9 === 0 ? null : (index % groups) + 1,
  }));
  return clusterMap({ title: 'Clusters of users by taste', clusters, points });
}

export const sampleMap = (): Chart => mapOf(12, 2000);
