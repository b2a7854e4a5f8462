import type { User } from '@tastegraph/algorithms';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { ServedDeployment } from '../rows/serving-reads.ts';
import type { UserState } from '../rows/user-states.ts';
import type { FoundItem } from '../search/item-finder.ts';
import type { QuestionCall } from '../search/question-call.ts';
import { compareScores } from './boost.ts';

/** Share of the remaining time for loading the ranker. */
const rankerShare = 0.5;

/** The deployed ranker. Undefined if there is none, or if it cannot be used: the response then says so. */
export async function loadRanker(
  { serving, clock, degraded, trace }: QuestionCall,
  { ranker }: ServedDeployment,
): Promise<LoadedModel | undefined> {
  if (!ranker) return undefined;
  try {
    const loaded = await clock.within('ranker', serving.models.get(ranker), rankerShare);
    trace.ranker = ranker;
    return loaded;
  } catch (error) {
    degraded.push({ part: 'ranker', error });
    return undefined;
  }
}

/** Orders the items by the ranker, if there is one; boosts multiply its scores too. */
export async function rankItems(
  call: QuestionCall,
  state: UserState,
  found: FoundItem[],
  context: readonly string[],
): Promise<FoundItem[]> {
  const ranker = await loadRanker(call, state);
  if (!ranker) return found;
  return rank(
    ranker,
    ranker.userOf(state, context),
    found,
    ({ candidate }) => candidate.itemId,
    ({ marks }) => marks?.factor ?? 1,
  );
}

/** By the ranker's scores, each multiplied by its factor; then the items that it does not know, in the generator's order. */
export function rank<Item extends object>(
  ranker: LoadedModel,
  user: User,
  found: readonly Item[],
  itemIdOf: (item: Item) => string,
  factorOf: (item: Item) => number = () => 1,
): Item[] {
  const byNumber = new Map<number, Item>();
  for (const item of found) {
    const number = ranker.itemNumbers.get(itemIdOf(item));
    if (number !== undefined) byNumber.set(number, item);
  }
  const among = [...byNumber.keys()];
  const ranked = ranker.scorer
    .recommend(user, { n: among.length, among, keepSeen: true, keepDisliked: true })
    .flatMap(({ item: number, score, isFilled }) => {
      const item = byNumber.get(number);
      return item ? [{ item, isFilled, score: score * factorOf(item) }] : [];
    })
    // Stable: without factors, this is the scorer's order.
    .toSorted(compareScores)
    .map(({ item }) => item);
  const known = new Set(ranked);
  return [...ranked, ...found.filter((item) => !known.has(item))];
}
