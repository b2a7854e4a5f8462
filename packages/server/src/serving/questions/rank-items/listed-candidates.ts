import type { User } from '@tastegraph/algorithms';
import { type Candidate, type CandidateSource, Candidates } from '../../candidates.ts';
import type { LoadedModel } from '../../loaded-model.ts';

/** The listed items, those that the model knows first, best first; all in one batch. */
export class ListedCandidates implements CandidateSource {
  readonly #batch: readonly Candidate[];
  hasEnded = false;

  constructor(model: LoadedModel, user: User, listed: ReadonlySet<string>) {
    const unknown = [...listed].filter((id) => !model.itemNumbers.has(id));
    const keepAll = { keepSeen: true, keepDisliked: true };
    const known = new Candidates(model, user, keepAll).next(listed.size - unknown.length, (id) =>
      listed.has(id),
    );
    this.#batch = [
      ...known,
      ...unknown.map((itemId) => ({ number: undefined, itemId, score: 0, isFilled: true })),
    ];
  }

  next(): Candidate[] {
    this.hasEnded = true;
    return [...this.#batch];
  }
}
