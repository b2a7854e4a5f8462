import { defaultWindowHours, type TrendingItem, type User } from '@tastegraph/algorithms';
import type { Request } from '@tastegraph/contract';
import { invalidField } from '../../http/api-error.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { KnownTrend } from '../../trends/trends.ts';
import type { Message } from '../notes.ts';
import { placementOf } from '../placement.ts';
import type { Candidate, CandidateSource, ItemPredicate } from '../search/candidates.ts';
import type { Question, QuestionCall } from '../search/question-call.ts';
import { answerPlacement } from './answer-placement.ts';

/** The items with the most events in a window that ends now. */
export const popularItems: Question<'recommendPopularItems'> = async (call, sent) => {
  const event_type = sent.event_type ?? call.project.target_event_type;
  const placement = placementOf({
    ...sent,
    // The trend does not know what the user has seen; the history does.
    exclude_event_types: sent.exclude_event_types ?? [call.project.target_event_type],
  });
  let window_hours = sent.window_hours ?? defaultWindowHours;
  const answer = await answerPlacement(call, placement, {
    list: [event_type, sent.window_hours, sent.attribute, sent.value],
    condition: conditionOf(sent),
    isRanked: false,
    prepare: async ({ recommendTo, generator }) => {
      const known = await findTrend(call);
      if (sent.window_hours === undefined && known) window_hours = await known.windowFor(event_type);
      const trending = known?.top(event_type, window_hours) ?? [];
      return {
        user: nobody,
        openCandidates: ({ late }) =>
          new TrendingCandidates(trending, generator, recommendTo(nobody, { late })),
        message: known && trending.length === 0 ? explainNone(event_type, window_hours) : null,
      };
    },
  });
  return answer && { user_id: placement.user_id ?? null, window_hours, event_type, ...answer };
};

/** Nothing is known of them, so they get what is popular. */
const nobody: User = {
  events: { item: new Uint32Array(), type: new Uint8Array(), value: new Float32Array() },
  attributes: [],
};

/** Undefined if the events cannot be counted in time: the response then says so. */
async function findTrend(call: QuestionCall): Promise<KnownTrend | undefined> {
  const { serving, project, clock, degraded } = call;
  try {
    return await clock.time('trend', serving.trends.get(project, clock.leftMs()));
  } catch (error) {
    degraded.push({ part: 'trend', error });
    return undefined;
  }
}

const explainNone = (type: string, hours: number): Message => ({
  code: 'NO_RECENT_EVENTS',
  text: `There were no events of type "${type}" in the last ${hours} ${hours === 1 ? 'hour' : 'hours'}. The items are ordered by their popularity at training time.`,
});

/** A CEL condition: the attribute is the value, or a list that contains it. */
function conditionOf({ attribute, value }: Request<'recommendPopularItems'>): string | undefined {
  if (attribute === undefined && value === undefined) return undefined;
  if (attribute === undefined || value === undefined) {
    const path = attribute === undefined ? 'attribute' : 'value';
    throw invalidField(path, 'is missing: pass both attribute and value, or neither');
  }
  const [field, wanted] = [`item[${JSON.stringify(attribute)}]`, JSON.stringify(value)];
  return `${field} == ${wanted} || ${wanted} in ${field}`;
}

/** Trending items, then all others in the order of `rest`, with lower scores. All scores are popularity. */
class TrendingCandidates implements CandidateSource {
  readonly #trending: readonly TrendingItem[];
  readonly #isTrending: ReadonlySet<string>;
  readonly #itemNumbers: LoadedModel['itemNumbers'];
  readonly #rest: CandidateSource;
  #place = 0;
  /** Factor for the scores of the rest. Set by the first of them. */
  #scale: number | undefined;

  constructor(trending: readonly TrendingItem[], { itemNumbers }: LoadedModel, rest: CandidateSource) {
    this.#trending = trending;
    this.#isTrending = new Set(trending.map(({ itemId }) => itemId));
    this.#itemNumbers = itemNumbers;
    this.#rest = rest;
  }

  get hasEnded(): boolean {
    return this.#place === this.#trending.length && this.#rest.hasEnded;
  }

  includes(itemId: string): boolean {
    return this.#isTrending.has(itemId);
  }

  get lateCount(): number {
    return this.#rest.lateCount ?? 0;
  }

  next(size: number, isEligible?: ItemPredicate): Candidate[] {
    const batch: Candidate[] = [];
    for (; this.#place < this.#trending.length && batch.length < size; this.#place++) {
      const { itemId, score } = this.#trending[this.#place] ?? { itemId: '', score: 0 };
      const number = this.#itemNumbers.get(itemId);
      if (!isEligible || isEligible(itemId, number)) batch.push({ number, itemId, score, isFilled: true });
    }
    if (batch.length === size) return batch;
    const rest = this.#rest.next(
      size - batch.length,
      (id, number) => !this.#isTrending.has(id) && (!isEligible || isEligible(id, number)),
    );
    return [...batch, ...rest.map((candidate) => this.#below(candidate))];
  }

  #below(candidate: Candidate): Candidate {
    const lowest = this.#trending.at(-1)?.score;
    this.#scale ??= lowest === undefined ? 1 : lowest / (candidate.score + 1);
    return { ...candidate, score: candidate.score * this.#scale, isFilled: true };
  }
}
