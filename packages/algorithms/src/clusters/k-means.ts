/** Points on the unit sphere, n x dimensions: each has length 1, or 0 where nothing is known. */
export interface Points {
  readonly count: number;
  readonly dimensions: number;
  readonly at: Float32Array;
}

/** Which centre is nearest to each point, and how near: its cosine. */
export interface Assignment {
  readonly clusterOf: Int32Array;
  /** The sum of all points' cosines to their centres. */
  readonly nearness: number;
  /** How many points changed their centre. */
  readonly moved: number;
}

/** k-means finds only a local optimum. With 8 starts, halves of the same users still differ by luck alone. */
const starts = 20;
/** After this many rounds it is clear which start is best. Later rounds move few points and would take most of the time. */
const roundsPerStart = 8;
/** An upper limit: the best start normally continues until no point moves. */
const maxRounds = 60;

/** The best centres over several starts. */
export function findCentres(points: Points, clusters: number, random: () => number): Float64Array {
  let best = new Float64Array(clusters * points.dimensions);
  let bestNearness = -Infinity;
  const clusterOf = new Int32Array(points.count);
  for (let start = 0; start < starts; start++) {
    const centres = spreadCentres(points, clusters, random);
    const nearness = improveCentres(points, centres, clusterOf.fill(-1), roundsPerStart);
    if (nearness > bestNearness) {
      best = centres;
      bestNearness = nearness;
    }
  }
  improveCentres(points, best, clusterOf.fill(-1), maxRounds);
  return best;
}

/** Lloyd's iterations, in place, until few points move. Returns the sum of the points' cosines to their centres. */
export function improveCentres(
  points: Points,
  centres: Float64Array,
  clusterOf: Int32Array,
  rounds: number,
  negligibleShare = 0,
): number {
  for (let round = 0; ; round++) {
    const { nearness, moved } = assign(points, centres, clusterOf);
    if (moved <= negligibleShare * points.count || round === rounds) return nearness;
    moveCentres(points, centres, clusterOf);
  }
}

/** Assigns each point to its nearest centre; ties go to the first. Writes `clusterOf`. */
export function assign(points: Points, centres: Float64Array, clusterOf: Int32Array): Assignment {
  const { count, dimensions, at } = points;
  const clusters = centres.length / dimensions;
  let nearness = 0;
  let moved = 0;
  for (let point = 0; point < count; point++) {
    const from = point * dimensions;
    let best = -Infinity;
    let nearest = 0;
    for (let cluster = 0, centre = 0; cluster < clusters; cluster++, centre += dimensions) {
      let cosine = 0;
      for (let axis = 0; axis < dimensions; axis++) cosine += at[from + axis]! * centres[centre + axis]!;
      if (cosine > best) {
        best = cosine;
        nearest = cluster;
      }
    }
    nearness += best;
    if (clusterOf[point] !== nearest) {
      clusterOf[point] = nearest;
      moved++;
    }
  }
  return { clusterOf, nearness, moved };
}

/** Moves each centre to the mean direction of its points; a centre without points stays. */
function moveCentres({ count, dimensions, at }: Points, centres: Float64Array, clusterOf: Int32Array): void {
  const sums = new Float64Array(centres.length);
  for (let point = 0; point < count; point++) {
    const to = clusterOf[point]! * dimensions;
    for (let axis = 0; axis < dimensions; axis++) sums[to + axis]! += at[point * dimensions + axis]!;
  }
  for (let from = 0; from < sums.length; from += dimensions) {
    let square = 0;
    for (let axis = 0; axis < dimensions; axis++) square += sums[from + axis]! ** 2;
    if (square === 0) continue;
    const length = Math.sqrt(square);
    for (let axis = 0; axis < dimensions; axis++) centres[from + axis] = sums[from + axis]! / length;
  }
}

/** k-means++: each further centre is a random point; the further from the centres so far, the more probable. */
function spreadCentres(points: Points, clusters: number, random: () => number): Float64Array<ArrayBuffer> {
  const { count, dimensions, at } = points;
  const centres = new Float64Array(clusters * dimensions);
  const distance = new Float64Array(count).fill(Infinity);
  let chosen = Math.floor(random() * count);
  for (let cluster = 0; cluster < clusters; cluster++) {
    const centre = cluster * dimensions;
    for (let axis = 0; axis < dimensions; axis++) centres[centre + axis] = at[chosen * dimensions + axis]!;
    let total = 0;
    for (let point = 0; point < count; point++) {
      let cosine = 0;
      for (let axis = 0; axis < dimensions; axis++)
        cosine += at[point * dimensions + axis]! * centres[centre + axis]!;
      const away = Math.max(0, 1 - cosine);
      if (away < distance[point]!) distance[point] = away;
      total += distance[point]!;
    }
    let left = random() * total;
    chosen = 0;
    while (chosen < count - 1 && (left -= distance[chosen]!) > 0) chosen++;
  }
  return centres;
}
