import type { User } from '@tastegraph/algorithms';
import { type LateView, placeIn } from '../catalogue/late-items.ts';
import type { LoadedModel } from '../models/loaded-model.ts';
import type { Candidate, CandidateSource } from '../search/candidates.ts';

/** The listed items, those that the model can score first, best first; all in one batch. */
export class ListedCandidates implements CandidateSource {
  readonly #batch: readonly Candidate[];
  hasEnded = false;

  constructor(
    { scorer, itemIds, itemNumbers }: LoadedModel,
    user: User,
    listed: ReadonlySet<string>,
    late: LateView | undefined,
  ) {
    const numbers = new Map<number, string>();
    for (const id of listed) {
      const number = itemNumbers.get(id) ?? lateNumber(late, id, itemIds.length);
      if (number !== undefined) numbers.set(number, id);
    }
    const ranked = new Set(numbers.values());
    const unknown = [...listed].filter((id) => !ranked.has(id));
    const known = scorer.recommend(user, {
      n: numbers.size,
      among: [...numbers.keys()],
      late: late?.scored,
      keepSeen: true,
      keepDisliked: true,
    });
    this.#batch = [
      ...known.map(({ item, score, isFilled }): Candidate => {
        const itemId = numbers.get(item) ?? '';
        if (item < itemIds.length) return { number: item, itemId, score, isFilled };
        return { number: undefined, itemId, score, isFilled, late: { number: item, items: late?.scored } };
      }),
      ...unknown.map((itemId): Candidate => ({ number: undefined, itemId, score: 0, isFilled: true })),
    ];
  }

  next(): Candidate[] {
    this.hasEnded = true;
    return [...this.#batch];
  }
}

/** The number of an item that was added after the training; undefined if it is not scored. */
function lateNumber(late: LateView | undefined, id: string, items: number): number | undefined {
  if (!late?.scored) return undefined;
  const place = placeIn(late.ids, id);
  return late.ids[place] === id && place < late.scored.count ? items + place : undefined;
}
