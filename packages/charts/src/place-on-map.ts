interface Place {
  readonly x: number;
  readonly y: number;
}

/** A bubble's area is its share of this part of the map, so that also many leave room between them. */
const inked = 0.12;
/** Smaller than this, a bubble has no room for its number. */
const smallestRadius = 9;
const largestRadius = 48;
/** Centres come no closer, so that no number lies on another, nor a small bubble within a large one. */
const closest = 20;
const overlap = 0.75;
/** The part of the users, at each end, that may lie off the map: a few far away would shrink all others. */
const far = 0.01;
/** Pushing apart ends early where it is done; crowds that will not fit are left as they are. */
const rounds = 100;

/** Everything to pixels of a square of `side`, one scale for both directions: distances stay true. */
export function placeOnMap(
  clusters: readonly (Place & { readonly size: number; readonly radius?: number })[],
  points: readonly Place[],
  side: number,
) {
  const all = [...clusters, ...points];
  if (!all.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))) {
    throw new RangeError('The places on a map are finite numbers');
  }
  const [left, right] = extent(clusters, points, ({ x }) => x);
  const [low, high] = extent(clusters, points, ({ y }) => y);
  const padding = largestRadius / 2;
  const scale = (side - 2 * padding) / (Math.max(right - left, high - low) || 1);
  const toPixels = ({ x, y }: Place): [number, number] => [
    side / 2 + (x - (left + right) / 2) * scale,
    side / 2 + (y - (low + high) / 2) * scale,
  ];
  const total = clusters.reduce((sum, { size }) => sum + size, 0) || 1;
  const largest = clusters.reduce((most, { size }) => Math.max(most, size), 1);
  const areaOfUser = Math.min((inked * side * side) / total, (Math.PI * largestRadius ** 2) / largest);
  const bubbles = clusters.map((cluster) => {
    const [x, y] = toPixels(cluster);
    const radius = Math.max(smallestRadius, Math.sqrt((cluster.size * areaOfUser) / Math.PI));
    const reach = Math.min((cluster.radius ?? 0) * scale, side / 2);
    return { x, y, radius, reach };
  });
  pushApart(bubbles, side);
  return { bubbles, points: points.map(toPixels) };
}

function pushApart(bubbles: { x: number; y: number; radius: number }[], side: number): void {
  for (let round = 0; round < rounds; round++) {
    let moved = false;
    for (const [index, one] of bubbles.entries()) {
      for (const other of bubbles.slice(index + 1)) {
        const apart = Math.hypot(other.x - one.x, other.y - one.y);
        const minDistance = Math.max(closest, overlap * (one.radius + other.radius));
        if (apart >= minDistance - 0.01) continue;
        moved = true;
        // In the very same place: any direction will do, but a different one for each.
        const angle = apart === 0 ? index * 2.4 : Math.atan2(other.y - one.y, other.x - one.x);
        const step = (minDistance - apart) / 2;
        shift(one, -step * Math.cos(angle), -step * Math.sin(angle), side);
        shift(other, step * Math.cos(angle), step * Math.sin(angle), side);
      }
    }
    if (!moved) return;
  }
}

function shift(place: { x: number; y: number }, dx: number, dy: number, side: number): void {
  place.x = Math.min(side, Math.max(0, place.x + dx));
  place.y = Math.min(side, Math.max(0, place.y + dy));
}

function extent(
  clusters: readonly Place[],
  points: readonly Place[],
  of: (place: Place) => number,
): [number, number] {
  const sorted = points.map(of).sort((a, b) => a - b);
  const skipped = Math.floor(sorted.length * far);
  const ends = [...clusters.map(of), ...sorted.slice(skipped, sorted.length - skipped)];
  return ends.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [ends[0] ?? 0, ends[0] ?? 0],
  );
}
