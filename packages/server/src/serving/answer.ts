import type { Part, User } from '@tastegraph/algorithms';
import type { Request, Response } from '@tastegraph/contract';
import type { Candidate } from './candidates.ts';
import type { Snapshot } from './snapshot.ts';

export type RecommendRequest = Required<Omit<Request<'recommendItemsToUser'>, 'project_id'>>;
type Answer = Response<'recommendItemsToUser'>;
type Result = Answer['results'][number];

/** A candidate that has a record, and may be shown. */
export interface Found {
  readonly candidate: Candidate;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Answering {
  readonly request: RecommendRequest;
  readonly generator: Snapshot;
  readonly user: User;
  readonly found: readonly Found[];
  readonly shortfall: string | null;
  readonly degraded: readonly string[];
}

/** What the caller gets: the same for the same request, data and model, byte for byte. */
export function answer({ request, generator, user, found, shortfall, degraded }: Answering): Answer {
  const { user_id, limit, attributes, filter_query, explain } = request;
  const results = found.map(({ candidate, attributes: stored }): Result => {
    const item = itemOf(candidate.itemId, attributes, stored);
    return explain
      ? { item, score: candidate.score, reasons: reasonsOf(generator, user, candidate) }
      : { item };
  });
  return {
    user_id,
    limit,
    attributes: [...attributes],
    filter_query,
    results,
    shortfall,
    degraded: [...degraded],
  };
}

/** Own attributes alone, and as such: developers may call one `constructor`, or `__proto__`. */
function itemOf(item_id: string, attributes: readonly string[], stored: Found['attributes']): Result['item'] {
  const asked = attributes
    .filter((name) => name !== 'item_id')
    .map((name) => [name, Object.hasOwn(stored, name) ? stored[name] : null] as const);
  return Object.fromEntries([['item_id', item_id], ...asked]) as Result['item'];
}

/** The terms of the score, the largest first; they add up to it. */
function reasonsOf(
  { scorer, itemIds, attributeNames }: Snapshot,
  user: User,
  { number, score, isFilled }: Candidate,
) {
  const popularity = { kind: 'popularity', id: null, contribution: score } as const;
  if (number === undefined || isFilled) return [popularity];
  const nameOf = ({ kind, index }: Part) => {
    if (kind === 'popularity') return { kind, id: null };
    if (kind === 'attribute') return { kind, id: attributeNames[index] ?? null };
    return { kind: 'item' as const, id: itemIds[index] ?? null };
  };
  return scorer
    .explain(user, number)
    .map((part) => ({ ...nameOf(part), contribution: part.amount }))
    .toSorted((one, other) => other.contribution - one.contribution);
}
