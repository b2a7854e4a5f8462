import type { Interactions } from '../interactions.ts';

/** For each value of an item attribute, the items that carry it: those from offsets[v] to offsets[v + 1]. */
export interface ItemsByValue {
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
}

export interface ClusteringInput {
  readonly events: Interactions;
  /** By event type; type 0, the target, first. Types beyond its end count nothing. */
  readonly typeWeights: readonly number[];
  /** To describe the groups by; they do not shape them. */
  readonly values?: ItemsByValue | undefined;
}

export interface ClusteringOptions {
  /** At most so many groups. */
  readonly maxClusters?: number;
  /** Groups of fewer users are deleted, and their users unassigned. */
  readonly minUsers?: number;
  readonly seed?: number;
  /** `fraction` of the whole, from 0 to 1. What it throws ends the clustering. */
  readonly onProgress?: (stage: string, fraction: number) => void;
}

/** An item or an attribute value that a group has more of than everyone. */
export interface Distinction {
  /** The item's or the value's number. */
  readonly index: number;
  /** Of an item: the part of the group's users who have it. Of a value: the part of what they have that carries it. */
  readonly share: number;
  /** The same of everyone. */
  readonly shareOfAll: number;
  /** How many times as often as in what everyone has it is in what the group has. Above 1. */
  readonly lift: number;
}

/** A place on the map of the groups; the whole map is within -1 and 1. */
export interface MapPlace {
  readonly x: number;
  readonly y: number;
}

export interface Cluster extends MapPlace {
  readonly size: number;
  /** How much more alike its users' tastes are than anyone's: 0 is no more, 1 is the same taste. */
  readonly cohesion: number;
  /** The direction of its users' taste, of length 1, in dimensions that only this clustering knows. */
  readonly centre: Float32Array;
  /** What sets the group apart, strongest first, at most 10 each. */
  readonly items: readonly Distinction[];
  readonly values: readonly Distinction[];
  /** Two thirds of its users are about so near to its place on the map. */
  readonly radius: number;
}

/** Some of the users of each group, for the map, ascending. */
export interface MapPoints {
  readonly user: Uint32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
}

export interface Clustering {
  /** For each user the number of the group, or -1 for who has no events, or was in a group that was deleted. */
  readonly clusterOf: Int32Array;
  /** The largest first. */
  readonly clusters: readonly Cluster[];
  readonly points: MapPoints;
  /** How many groups were deleted for having too few users. */
  readonly deleted: number;
}
