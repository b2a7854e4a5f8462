import type { MapPlace, MapPoints } from './clustering.ts';
import { symmetricEigen } from './eigen.ts';
import type { Points } from './k-means.ts';

export interface ClusterMap {
  readonly places: readonly (MapPlace & { readonly radius: number })[];
  readonly points: MapPoints;
}

/** Enough to see the shape of a cluster, few enough to draw. */
const maxPoints = 2000;
/**
 * The weight of differences between users, relative to differences between clusters, when the two directions of the map are
 * chosen. It matters only if the clusters do not determine both directions.
 */
const restWeight = 0.01;
/** Rounds that make distances on the map match those of tastes. Further rounds change nothing visible. */
const rounds = 200;
/** Users spread around their cluster up to this fraction of the smallest distance between clusters, so that clusters stay apart. */
const spread = 0.45;

/**
 * Distances between clusters on the map follow those between their tastes (by stress majorization, starting from the two
 * directions in which clusters differ most). Users lie around their cluster in those two directions, at a smaller scale.
 */
export function drawMap(points: Points, clusterOf: Int32Array, centres: readonly Float32Array[]): ClusterMap {
  const { dimensions, at } = points;
  const plane = findPlane(points, clusterOf, centres);
  const project = (from: ArrayLike<number>, start: number, axis: number) => {
    let sum = 0;
    for (let index = 0; index < dimensions; index++)
      sum += from[start + index]! * plane[axis * dimensions + index]!;
    return sum;
  };
  const flat = centres.map((centre) => ({ x: project(centre, 0, 0), y: project(centre, 0, 1) }));
  const places = spreadOut(flat, centres);
  const user = sampleUsers(clusterOf);
  const middle = centres.map(() => ({ x: 0, y: 0, square: 0, count: 0 }));
  const offset = (index: number) => ({
    x: project(at, index * dimensions, 0),
    y: project(at, index * dimensions, 1),
  });
  for (const index of user) {
    const group = middle[clusterOf[index]!]!;
    const { x, y } = offset(index);
    group.x += x;
    group.y += y;
    group.count++;
  }
  for (const group of middle) {
    group.x /= Math.max(1, group.count);
    group.y /= Math.max(1, group.count);
  }
  for (const index of user) {
    const group = middle[clusterOf[index]!]!;
    const { x, y } = offset(index);
    group.square += (x - group.x) ** 2 + (y - group.y) ** 2;
  }
  const radii = middle.map(({ square, count }) => Math.sqrt(square / Math.max(1, count)));
  const scale = (spread * closest(places)) / Math.max(...radii, Number.MIN_VALUE);
  const drawn = Array.from(user, (index) => {
    const cluster = clusterOf[index]!;
    const { x, y } = offset(index);
    return {
      x: places[cluster]!.x + scale * (x - middle[cluster]!.x),
      y: places[cluster]!.y + scale * (y - middle[cluster]!.y),
    };
  });
  const extent = Math.max(
    Number.MIN_VALUE,
    ...places.flatMap(({ x, y }, cluster) => [
      Math.abs(x) + scale * radii[cluster]!,
      Math.abs(y) + scale * radii[cluster]!,
    ]),
    ...drawn.flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)]),
  );
  return {
    places: places.map(({ x, y }, cluster) => ({
      x: x / extent,
      y: y / extent,
      radius: (scale * radii[cluster]!) / extent,
    })),
    points: {
      user,
      x: Float32Array.from(drawn, ({ x }) => x / extent),
      y: Float32Array.from(drawn, ({ y }) => y / extent),
    },
  };
}

/** The two directions in which cluster centres differ most. If the centres leave a direction undetermined, users decide. */
function findPlane(points: Points, clusterOf: Int32Array, centres: readonly Float32Array[]): Float64Array {
  const { dimensions, at, count } = points;
  const scatter = new Float64Array(dimensions * dimensions);
  const add = (from: ArrayLike<number>, start: number, weight: number) => {
    for (let row = 0; row < dimensions; row++)
      for (let column = 0; column < dimensions; column++)
        scatter[row * dimensions + column]! += weight * from[start + row]! * from[start + column]!;
  };
  for (const centre of centres) add(centre, 0, 1 / centres.length);
  const step = Math.max(1, Math.floor(count / planeUsers));
  for (let index = 0; index < count; index += step)
    if (clusterOf[index]! >= 0) add(at, index * dimensions, (restWeight * step) / count);
  const { vectors } = symmetricEigen(scatter, dimensions);
  return Float64Array.from(
    { length: 2 * dimensions },
    (_, place) => vectors[(place % dimensions) * dimensions + Math.floor(place / dimensions)] ?? 0,
  );
}

const planeUsers = 5000;

/** SMACOF: each round moves every cluster to where its true distances to the other clusters would put it. */
function spreadOut(start: readonly MapPlace[], centres: readonly Float32Array[]): MapPlace[] {
  const count = start.length;
  const targetDistances = centres.map((one) => centres.map((other) => distance(one, other)));
  let places = start.map(({ x, y }) => ({ x, y }));
  for (let round = 0; round < rounds; round++)
    places = places.map((place, index) => {
      let x = 0;
      let y = 0;
      for (const [other, { x: ox, y: oy }] of places.entries()) {
        if (other === index) continue;
        const apart = Math.hypot(place.x - ox, place.y - oy);
        const ratio = apart > 1e-9 ? targetDistances[index]![other]! / apart : 0;
        x += ox + (place.x - ox) * ratio;
        y += oy + (place.y - oy) * ratio;
      }
      return count > 1 ? { x: x / (count - 1), y: y / (count - 1) } : place;
    });
  const mean = (axis: 'x' | 'y') => places.reduce((sum, place) => sum + place[axis], 0) / Math.max(1, count);
  const [x, y] = [mean('x'), mean('y')];
  return places.map((place) => ({ x: place.x - x, y: place.y - y }));
}

const distance = (one: Float32Array, other: Float32Array) =>
  Math.sqrt(one.reduce((sum, value, axis) => sum + (value - other[axis]!) ** 2, 0));

/** The distance of the two clusters that are nearest to each other on the map. */
function closest(places: readonly MapPlace[]): number {
  let nearest = Infinity;
  for (const [index, { x, y }] of places.entries())
    for (const other of places.slice(index + 1))
      nearest = Math.min(nearest, Math.hypot(x - other.x, y - other.y));
  return Number.isFinite(nearest) && nearest > 0 ? nearest : 1;
}

/** Every n-th user who is in a cluster. */
function sampleUsers(clusterOf: Int32Array): Uint32Array {
  let assigned = 0;
  for (const cluster of clusterOf) if (cluster >= 0) assigned++;
  const size = Math.min(maxPoints, assigned);
  const user = new Uint32Array(size);
  let seen = 0;
  let taken = 0;
  for (let index = 0; index < clusterOf.length && taken < size; index++) {
    if (clusterOf[index]! < 0) continue;
    if (seen++ >= (taken * assigned) / size) user[taken++] = index;
  }
  return user;
}
