import { seededRandom } from '../lib/random.ts';
import { Reservoir } from '../lib/reservoir.ts';
import { chooseNumber } from './choose-number.ts';
import type { Cluster, Clustering, ClusteringInput, ClusteringOptions } from './clustering.ts';
import { describeClusters } from './describe.ts';
import { findCentres, improveCentres, type Points } from './k-means.ts';
import { drawMap } from './map.ts';
import { findPrincipalTastes, projectUsers } from './principal-tastes.ts';
import { buildTasteRows, pickRows, shuffleRows, type TasteRows } from './taste-rows.ts';

/** About as many clusters as a person can compare. */
const defaultMaxClusters = 20;
/** Limits the time for choosing the number. The contract has the same limit. */
const clusterLimit = 50;
/** How many users are sampled to find in how many dimensions tastes differ and how many clusters there are. */
const sampleSize = 10_000;
/** Further dimensions distinguish single items, not tastes. */
const maxDimensions = 32;
/** A dimension counts if its variance is this many times what chance gives. */
const aboveChance = 1.05;
/** Rounds over all users, after the centres were found on the sample. Stops early once no more than this share of them moves. */
const fullRounds = 5;
const negligibleShare = 0.002;

/** Clusters users by their taste. Deterministic and single-threaded; time and memory are linear in users, items and events. */
export function clusterUsers(input: ClusteringInput, options: ClusteringOptions = {}): Clustering {
  const { seed = 1, minUsers = 1, onProgress } = options;
  const maxClusters = Math.max(1, Math.min(options.maxClusters ?? defaultMaxClusters, clusterLimit));
  const progress = (stage: string, fraction: number) => onProgress?.(stage, fraction);
  progress('weights', 0);
  const rows = buildTasteRows(input);
  const sample = sampleActive(rows, seed);
  const clusters = chooseClusters(pickRows(rows, sample), maxClusters, seed, (stage, fraction) =>
    progress(stage, 0.05 + 0.35 * fraction),
  );
  const tastes = findPrincipalTastes(rows, dimensionsOf(clusters), seed, (pass, of) =>
    progress('tastes', 0.4 + (0.4 * pass) / of),
  );
  progress('users', 0.8);
  const points = projectUsers(rows, tastes, tastes.dimensions);
  progress('clusters', 0.85);
  const found = findGroups(points, sample, clusters, seed);
  for (let user = 0; user < rows.rows; user++)
    if (rows.offsets[user] === rows.offsets[user + 1]) found[user] = -1;
  const { clusterOf, sizes, deleted } = keepLarge(found, maxClusters, minUsers);
  progress('description', 0.9);
  const centres = meanDirections(points, clusterOf, sizes.length);
  const descriptions = describeClusters(rows, clusterOf, sizes.length, input.values);
  progress('map', 0.97);
  const map = drawMap(
    points,
    clusterOf,
    centres.map(({ centre }) => centre),
  );
  progress('map', 1);
  return {
    clusterOf,
    clusters: sizes.map(
      (size, cluster): Cluster => ({
        size,
        ...centres[cluster]!,
        ...descriptions[cluster]!,
        ...map.places[cluster]!,
      }),
    ),
    points: map.points,
    deleted,
  };
}

/** k clusters span k - 1 dimensions, and further ones only add noise. A map always needs two. */
const dimensionsOf = (clusters: number) => Math.max(2, clusters - 1);

/** A seeded sample of users with events, ascending. */
function sampleActive({ rows, offsets }: TasteRows, seed: number): Uint32Array {
  const sample = new Reservoir<number>(sampleSize, seededRandom(seed));
  for (let user = 0; user < rows; user++) if (offsets[user] !== offsets[user + 1]) sample.add(user);
  return Uint32Array.from(sample.kept).sort();
}

/** The number of clusters: at most one more than the dimensions in which tastes differ, and only clusters that are found again. */
function chooseClusters(
  sample: TasteRows,
  maxClusters: number,
  seed: number,
  onProgress: (stage: string, fraction: number) => void,
): number {
  if (maxClusters < 2) return 1;
  onProgress('dimensions', 0);
  const find = (rows: TasteRows) =>
    findPrincipalTastes(rows, Math.min(maxDimensions, dimensionsOf(maxClusters)), seed, () => undefined);
  const tastes = find(sample);
  // Horn's parallel analysis: counts the dimensions that vary more than they would if items were assigned to users at
  // random.
  const chance = find(shuffleRows(sample, seed)).variance[0]!;
  const dimensions = tastes.variance.filter((value) => value > chance * aboveChance).length;
  return chooseNumber(
    sample.rows,
    Math.min(maxClusters, dimensions + 1),
    (clusters) => projectUsers(sample, tastes, clusters - 1),
    seed,
    (clusters) => onProgress('number of clusters', 1 - (0.8 * clusters) / maxClusters),
  );
}

function findGroups(points: Points, sample: Uint32Array, clusters: number, seed: number): Int32Array {
  const clusterOf = new Int32Array(points.count);
  if (clusters === 1) return clusterOf;
  const { dimensions } = points;
  const at = new Float32Array(sample.length * dimensions);
  for (const [place, user] of sample.entries())
    at.set(points.at.subarray(user * dimensions, (user + 1) * dimensions), place * dimensions);
  const centres = findCentres({ count: sample.length, dimensions, at }, clusters, seededRandom(seed));
  improveCentres(points, centres, clusterOf.fill(-1), fullRounds, negligibleShare);
  return clusterOf;
}

/** Numbers the clusters by size, the largest first, and drops those that are too small. */
function keepLarge(
  found: Int32Array,
  maxClusters: number,
  minUsers: number,
): { clusterOf: Int32Array; sizes: number[]; deleted: number } {
  const counts = new Uint32Array(maxClusters);
  for (const cluster of found) if (cluster >= 0) counts[cluster]!++;
  const kept = [...counts.keys()]
    .filter((cluster) => counts[cluster]! >= Math.max(1, minUsers))
    .sort((a, b) => counts[b]! - counts[a]! || a - b);
  const number = new Int32Array(maxClusters).fill(-1);
  for (const [to, from] of kept.entries()) number[from] = to;
  return {
    clusterOf: found.map((cluster) => (cluster < 0 ? -1 : number[cluster]!)),
    sizes: kept.map((cluster) => counts[cluster]!),
    deleted: counts.filter((count) => count > 0).length - kept.length,
  };
}

/** The mean of unit vectors points to the centre; its length is their mean cosine to it. */
function meanDirections(
  { count, dimensions, at }: Points,
  clusterOf: Int32Array,
  clusters: number,
): { centre: Float32Array; cohesion: number }[] {
  const sums = new Float64Array(clusters * dimensions);
  const sizes = new Uint32Array(clusters);
  for (let point = 0; point < count; point++) {
    const cluster = clusterOf[point]!;
    if (cluster < 0) continue;
    sizes[cluster]!++;
    for (let axis = 0; axis < dimensions; axis++)
      sums[cluster * dimensions + axis]! += at[point * dimensions + axis]!;
  }
  return Array.from({ length: clusters }, (_, cluster) => {
    const sum = sums.subarray(cluster * dimensions, (cluster + 1) * dimensions);
    const length = Math.sqrt(sum.reduce((square, value) => square + value * value, 0));
    return {
      centre: Float32Array.from(sum, (value) => (length > 0 ? value / length : 0)),
      cohesion: Math.min(1, length / sizes[cluster]!),
    };
  });
}
