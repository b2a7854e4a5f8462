import { placementOf, requireUser } from '../placement.ts';
import type { Question } from '../search/question-call.ts';
import { answerPlacement } from './answer-placement.ts';

/** The best items for a user. */
export const recommendItems: Question<'recommendItemsToUser'> = async (call, sent) => {
  const placement = placementOf(sent);
  requireUser(placement);
  const answer = await answerPlacement(call, placement);
  return answer && { user_id: placement.user_id ?? null, ...answer };
};
