import type { Interactions } from '../data/interactions.ts';

/** For each value of an item attribute, the items that carry it: those from offsets[v] to offsets[v + 1]. */
export interface ItemsByValue {
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
}

export interface ClusteringInput {
  readonly events: Interactions;
  /** By event type; type 0, the target, is first. Types past the end have weight 0. */
  readonly typeWeights: readonly number[];
  /** Used to describe the clusters, not to form them. */
  readonly values?: ItemsByValue | undefined;
}

export interface ClusteringOptions {
  /** The maximum number of clusters. */
  readonly maxClusters?: number;
  /** Clusters with fewer users are dropped, and their users are left unassigned. */
  readonly minUsers?: number;
  readonly seed?: number;
  /** `fraction` of the whole, from 0 to 1. An error it throws ends the clustering. */
  readonly onProgress?: (stage: string, fraction: number) => void;
}

/** An item or attribute value that is more frequent in a cluster than among everyone. */
export interface Distinction {
  /** The item's or the value's number. */
  readonly index: number;
  /** Of an item: of the cluster's users, those who have it. Of a value: of their user-item pairs, those whose item carries it. */
  readonly share: number;
  /** The same share among everyone. */
  readonly shareOfAll: number;
  /** How many times as frequent it is in the cluster as among everyone. Above 1. */
  readonly lift: number;
}

/** A position on the map of the clusters; coordinates are from -1 to 1. */
export interface MapPlace {
  readonly x: number;
  readonly y: number;
}

export interface Cluster extends MapPlace {
  readonly size: number;
  /** How much more similar its users' tastes are than those of users in general: 0 is no more similar, 1 is identical. */
  readonly cohesion: number;
  /** The mean direction of its users' tastes, of length 1. The dimensions are specific to this clustering. */
  readonly centre: Float32Array;
  /** What distinguishes the cluster, strongest first, at most 10 each. */
  readonly items: readonly Distinction[];
  readonly values: readonly Distinction[];
  /** About two thirds of its users are within this distance of its position on the map. */
  readonly radius: number;
}

/** Some of the users of each cluster, for the map, ascending. */
export interface MapPoints {
  readonly user: Uint32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
}

export interface Clustering {
  /** The cluster number of each user, or -1 for users without events and for users of a dropped cluster. */
  readonly clusterOf: Int32Array;
  /** The largest first. */
  readonly clusters: readonly Cluster[];
  readonly points: MapPoints;
  /** How many clusters were dropped because they had too few users. */
  readonly deleted: number;
}
