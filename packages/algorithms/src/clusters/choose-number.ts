import { seededRandom, shuffle } from '../random.ts';
import { assign, findCentres, type Points } from './k-means.ts';

/**
 * A group is real when it is found again among other people: below this part of its people in common, Hennig (2007)
 * calls a group not to be trusted.
 */
const foundAgain = 0.6;
/** No halving may fall below: on average is not enough, and most numbers are turned down by the first. */
const foundOnce = 0.5;
/** Fewer users a group, and halves differ by chance alone. */
const leastUsersPerCluster = 10;
/** Times that the users are halved: once can be luck. */
const halvings = 3;

/**
 * The largest number of groups all of which are found again: users are halved, each half is grouped by itself, everyone
 * is assigned to the groups of both, and each group must have its counterpart. A finer grouping cuts groups where
 * nothing parts them, and each half cuts elsewhere. `pointsFor` a number are in the dimensions that it is looked for in.
 */
export function chooseNumber(
  users: number,
  most: number,
  pointsFor: (clusters: number) => Points,
  seed: number,
  onTry: (clusters: number) => void,
): number {
  const largest = Math.min(most, Math.floor(users / (2 * leastUsersPerCluster)));
  const random = seededRandom(seed);
  for (let clusters = largest; clusters > 1; clusters--) {
    onTry(clusters);
    if (isFoundAgain(pointsFor(clusters), clusters, random)) return clusters;
  }
  return 1;
}

function isFoundAgain(points: Points, clusters: number, random: () => number): boolean {
  let sum = 0;
  for (let halving = 0; halving < halvings; halving++) {
    const overlap = halve(points, clusters, random);
    if (overlap < foundOnce) return false;
    sum += overlap;
  }
  return sum >= foundAgain * halvings;
}

/** How much of the group that is found again worst is found again. */
function halve(points: Points, clusters: number, random: () => number): number {
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

/** Of each group the part in common with its nearest counterpart, of the people of both; the smallest of all. */
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
