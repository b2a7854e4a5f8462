import { seededRandom, shuffle } from '../lib/random.ts';
import { assign, findCentres, type Points } from './k-means.ts';

/** A cluster is real if clustering other people finds it again: below this overlap, Hennig (2007) does not trust it. */
const minMeanOverlap = 0.6;
/** The minimum for each single halving, since a good average is not enough. Most numbers already fail the first halving. */
const minOverlap = 0.5;
/** With fewer users per cluster, halves differ by chance alone. */
const minUsersPerCluster = 10;
/** How often the users are halved, since a single success can be luck. */
const halvings = 3;

/**
 * The largest number of clusters that are all found again. Users are split into halves, each half is clustered by itself,
 * everyone is assigned to the clusters of both halves, and each cluster must have its counterpart. A number that is too
 * large cuts clusters where there is no boundary, and each half then cuts elsewhere. `pointsFor` returns the users as
 * points in the dimensions used for that number of clusters.
 */
export function chooseNumber(
  users: number,
  maxClusters: number,
  pointsFor: (clusters: number) => Points,
  seed: number,
  onTry: (clusters: number) => void,
): number {
  const largest = Math.min(maxClusters, Math.floor(users / (2 * minUsersPerCluster)));
  const random = seededRandom(seed);
  for (let clusters = largest; clusters > 1; clusters--) {
    onTry(clusters);
    if (isStable(pointsFor(clusters), clusters, random)) return clusters;
  }
  return 1;
}

function isStable(points: Points, clusters: number, random: () => number): boolean {
  let sum = 0;
  for (let halving = 0; halving < halvings; halving++) {
    const overlap = halvingOverlap(points, clusters, random);
    if (overlap < minOverlap) return false;
    sum += overlap;
  }
  return sum >= minMeanOverlap * halvings;
}

/** The overlap of the cluster that is found again worst. */
function halvingOverlap(points: Points, clusters: number, random: () => number): number {
  const shuffled = shufflePoints(points, random);
  const middle = points.count >> 1;
  const one = assignByHalf(shuffled, 0, middle, clusters, random);
  const other = assignByHalf(shuffled, middle, points.count, clusters, random);
  return worstOverlap(one, other, clusters);
}

function assignByHalf(points: Points, from: number, to: number, clusters: number, random: () => number) {
  const at = points.at.subarray(from * points.dimensions, to * points.dimensions);
  const centres = findCentres({ ...points, count: to - from, at }, clusters, random);
  return assign(points, centres, new Int32Array(points.count)).clusterOf;
}

/** The smallest overlap of a cluster with its best counterpart: their common users over the users of either. */
function worstOverlap(one: Int32Array, other: Int32Array, clusters: number): number {
  const both = new Uint32Array(clusters * clusters);
  const ofOne = new Uint32Array(clusters);
  const ofOther = new Uint32Array(clusters);
  for (let point = 0; point < one.length; point++) {
    both[one[point]! * clusters + other[point]!]!++;
    ofOne[one[point]!]!++;
    ofOther[other[point]!]!++;
  }
  let worst = 1;
  for (let row = 0; row < clusters; row++) {
    let best = 0;
    for (let column = 0; column < clusters; column++) {
      const common = both[row * clusters + column]!;
      if (common > 0) best = Math.max(best, common / (ofOne[row]! + ofOther[column]! - common));
    }
    worst = Math.min(worst, best);
  }
  return worst;
}

function shufflePoints({ count, dimensions, at }: Points, random: () => number): Points {
  const order = Uint32Array.from({ length: count }, (_, point) => point);
  shuffle(order, random);
  const shuffled = new Float32Array(at.length);
  for (let place = 0; place < count; place++)
    shuffled.set(
      at.subarray(order[place]! * dimensions, (order[place]! + 1) * dimensions),
      place * dimensions,
    );
  return { count, dimensions, at: shuffled };
}
