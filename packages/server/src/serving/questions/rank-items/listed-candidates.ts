import type { User } from '@tastegraph/algorithms';
import type { Candidate, CandidateSource } from '../../candidates.ts';
import type { LoadedModel } from '../../loaded-model.ts';

/** The listed items, those that the model knows first, best first; all in one batch. */
export class ListedCandidates implements CandidateSource {
  readonly #batch: readonly Candidate[];
  hasEnded = false;

  constructor(model: LoadedModel, user: User, listed: ReadonlySet<string>) {
    const { scorer, itemIds, itemNumbers } = model;
    const unknown = [...listed].filter((id) => !itemNumbers.has(id));
    const among = [...listed].flatMap((id) => itemNumbers.get(id) ?? []);
    const known = scorer.recommend(user, { n: among.length, among, keepSeen: true, keepDisliked: true });
    this.#batch = [
      ...known.map(
        ({ item, score, isFilled }): Candidate => ({
          number: item,
          itemId: itemIds[item] ?? '',
          score,
          isFilled,
        }),
      ),
      ...unknown.map((itemId): Candidate => ({ number: undefined, itemId, score: 0, isFilled: true })),
    ];
  }

  next(): Candidate[] {
    this.hasEnded = true;
    return [...this.#batch];
  }
}
