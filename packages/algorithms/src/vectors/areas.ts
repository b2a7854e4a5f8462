import { seededRandom } from '../lib/random.ts';
import { TopK } from '../lib/top-k.ts';

/** A tree of areas of a space of vectors, by direction. A vector is in a few areas of each level. Stored with the model. */
export interface Areas {
  /** By area, its first part; the parts of an area are consecutive. Area 0 is the whole space. */
  readonly firstPart: readonly number[];
  /** By area, how many parts it has. */
  readonly parts: readonly number[];
  /** One character per area and number: see `toText`. */
  readonly centers: string;
}

const maxParts = 16;
/** An area with fewer vectors of the sample per part is divided into fewer parts, or into none. */
const vectorsPerPart = 16;
const maxDepth = 2;
/** Of one, three and six, three is best on MovieTweetings, and none on Beauty by more than between two seeds. */
const nearestAreas = 3;
const sweeps = 8;

/** Characters of JSON that need no escaping: `#` to `[`. */
const zero = 63;
const steps = 28;

/** Learns areas from packed vectors of this length, one after another. The same vectors give the same areas. */
export function learnAreas(sample: Int8Array, length: number): Areas {
  const units = unitVectors(sample, length);
  const random = seededRandom(1);
  const firstPart: number[] = [0];
  const parts: number[] = [0];
  const texts: string[] = [toText(new Float32Array(length))];
  const divide = (area: number, members: Uint32Array, depth: number) => {
    const count = Math.min(maxParts, Math.floor(members.length / vectorsPerPart));
    if (depth === maxDepth || count < 2) return;
    const { centers, groups } = cluster(units, length, members, count, random);
    const first = parts.length;
    firstPart[area] = first;
    parts[area] = groups.length;
    for (const center of centers) {
      firstPart.push(0);
      parts.push(0);
      texts.push(toText(center));
    }
    for (const [place, group] of groups.entries()) divide(first + place, group, depth + 1);
  };
  divide(
    0,
    Uint32Array.from({ length: units.length / length }, (_, place) => place),
    0,
  );
  return { firstPart, parts, centers: texts.join('') };
}

/** How many areas there are besides the whole space. */
export const countAreas = ({ parts }: Areas) => parts.length - 1;

/** The nearest areas of each level, so that a vector near a border is on both sides. The whole space has no number. */
export function areaFinder(
  { firstPart, parts, centers }: Areas,
  length: number,
): (vector: Int8Array) => number[] {
  const units = unitVectors(
    Int8Array.from(centers, (one) => one.charCodeAt(0) - zero),
    length,
  );
  const asked = new Float32Array(length);
  const nearest = new TopK(nearestAreas);
  return (vector) => {
    asked.set(vector);
    const found: number[] = [];
    for (let level: Iterable<number> = [0]; ; ) {
      nearest.clear();
      for (const area of level)
        for (let part = firstPart[area]!; part < firstPart[area]! + parts[area]!; part++)
          nearest.offer(part, dot(asked, units, part * length));
      if (nearest.size === 0) return found;
      nearest.sort();
      level = nearest.indices.slice(0, nearest.size);
      for (const area of level) found.push(area - 1);
    }
  };
}

/** With the numbers of `other` from `from` on. Four sums, since each addition would wait for the one before. */
function dot(one: Float32Array, other: Float32Array, from: number): number {
  const { length } = one;
  const whole = length - (length % 4);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let place = 0; place < whole; place += 4) {
    a += one[place]! * other[from + place]!;
    b += one[place + 1]! * other[from + place + 1]!;
    c += one[place + 2]! * other[from + place + 2]!;
    d += one[place + 3]! * other[from + place + 3]!;
  }
  for (let place = whole; place < length; place++) a += one[place]! * other[from + place]!;
  return a + b + c + d;
}

function unitVectors(sample: Int8Array, length: number): Float32Array {
  const units = Float32Array.from(sample);
  for (let from = 0; from < units.length; from += length) normalise(units.subarray(from, from + length));
  return units;
}

function normalise(vector: Float32Array): void {
  const size = Math.sqrt(dot(vector, vector, 0));
  if (size > 0) for (let place = 0; place < vector.length; place++) vector[place]! /= size;
}

/** Spherical k-means. Groups that end up empty are left out. */
function cluster(
  units: Float32Array,
  length: number,
  members: Uint32Array,
  count: number,
  random: () => number,
): { centers: Float32Array[]; groups: Uint32Array[] } {
  const centers = firstCenters(units, length, members, count, random);
  const group = new Uint8Array(members.length);
  const assign = () => {
    for (const [place, member] of members.entries()) {
      let most = -Infinity;
      for (const [index, center] of centers.entries()) {
        const near = dot(center, units, member * length);
        if (near > most) {
          most = near;
          group[place] = index;
        }
      }
    }
  };
  for (let sweep = 0; sweep < sweeps; sweep++) {
    assign();
    for (const center of centers) center.fill(0);
    for (const [place, member] of members.entries()) {
      const center = centers[group[place]!]!;
      for (let index = 0; index < length; index++) center[index]! += units[member * length + index]!;
    }
    for (const center of centers) normalise(center);
  }
  assign();
  const all = centers.map((center, index) => ({
    center,
    own: members.filter((_, place) => group[place] === index),
  }));
  const used = all.filter(({ own }) => own.length > 0);
  return { centers: used.map(({ center }) => center), groups: used.map(({ own }) => own) };
}

/** Far from each other: each is drawn with a probability that grows with its distance to those before (k-means++). */
function firstCenters(
  units: Float32Array,
  length: number,
  members: Uint32Array,
  count: number,
  random: () => number,
): Float32Array[] {
  const vectorOf = (member: number) => units.slice(member * length, (member + 1) * length);
  const centers = [vectorOf(members[Math.floor(random() * members.length)]!)];
  const far = new Float64Array(members.length).fill(Infinity);
  while (centers.length < count) {
    const last = centers.at(-1)!;
    let total = 0;
    for (const [place, member] of members.entries()) {
      far[place] = Math.min(far[place]!, Math.max(0, 1 - dot(last, units, member * length)));
      total += far[place];
    }
    if (total < 1e-6) break;
    let left = random() * total;
    let drawn = 0;
    while (drawn < members.length - 1 && left >= far[drawn]!) left -= far[drawn++]!;
    centers.push(vectorOf(members[drawn]!));
  }
  return centers;
}

function toText(center: Float32Array): string {
  const largest = center.reduce((most, one) => Math.max(most, Math.abs(one)), 0) || 1;
  return String.fromCharCode(...Array.from(center, (one) => zero + Math.round((one / largest) * steps)));
}
