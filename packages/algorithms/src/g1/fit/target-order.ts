import { countsToOffsets } from '../../lib/arrays.ts';
import type { MatrixColumns } from '../data/matrix.ts';
import { type Sources, sourceAt } from './sources.ts';

/**
 * Orders targets so that consecutive ones share many sources and users, whose columns and residuals then stay in the
 * cache. Targets form a forest: a target's parent is the most popular of its sources, if that is more popular than the
 * target. The order is a depth-first walk. With data larger than the caches this saves a sixth of the time (at three
 * million events). The weights do not depend on the order.
 */
export function nearToFar(sources: Sources, { items, degree }: MatrixColumns): Uint32Array {
  const { offsets } = sources;
  const followers = new Uint32Array(items + 2);
  const leader = new Uint32Array(items).fill(items);
  for (let target = 0; target < items; target++) {
    // Sources come rarest first; skip attribute values and the token that every user has.
    let index = offsets[target + 1]! - 1;
    while (index >= offsets[target]! && sourceAt(sources, index) >= items) index--;
    const source = index >= offsets[target]! ? sourceAt(sources, index) : target;
    if (degree[source]! > degree[target]!) leader[target] = source;
    followers[leader[target]! + 1]!++;
  }
  countsToOffsets(followers);
  const follower = new Uint32Array(items);
  const cursor = followers.slice();
  for (let target = 0; target < items; target++) follower[cursor[leader[target]!]!++] = target;
  const order = new Uint32Array(items);
  const waiting = [...follower.subarray(followers[items], followers[items + 1])];
  for (let turn = 0; turn < items; turn++) {
    const target = waiting.pop()!;
    order[turn] = target;
    for (let place = followers[target]!; place < followers[target + 1]!; place++)
      waiting.push(follower[place]!);
  }
  return order;
}
