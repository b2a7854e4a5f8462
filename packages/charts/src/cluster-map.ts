import { baseOption, type Chart } from './chart.ts';
import { count, printable } from './texts.ts';

export interface MapCluster {
  /** The name of the group in the result: what is written into its bubble. Short. */
  readonly id: string | number;
  /** Users in the group; the bubble's area is in proportion. */
  readonly size: number;
  readonly x: number;
  readonly y: number;
  /** How far the group reaches, in the units of `x` and `y`: drawn as a faint circle. */
  readonly radius?: number;
  /** What sets the group apart: its items and values. */
  readonly label: string;
}

export interface MapPoint {
  readonly x: number;
  readonly y: number;
  /** The id of the point's group; null if it belongs to none. */
  readonly cluster: string | number | null;
}

/** Groups of users on a plane where alike is near. */
export interface ClusterMap {
  readonly title: string;
  readonly clusters: readonly MapCluster[];
  /** Some of the users, to show how the groups spread; at most `maxPoints` are drawn, evenly picked. */
  readonly points: readonly MapPoint[];
}

export function clusterMap(map: ClusterMap): Chart {
  const title = printable(map.title, 80);
  const description = `${count(map.clusters.length)} groups`;
  return { title, description, width: 1080, height: 720, option: baseOption(title, description) };
}
