import { answerPlacement } from '../call/answer-placement.ts';
import { placementOf, requireUser } from '../placement.ts';
import type { Question } from './question.ts';

/** The best items for a user. */
export const recommendItems: Question<'recommendItemsToUser'> = async (call, sent) => {
  const placement = placementOf(sent);
  requireUser(placement);
  const answer = await answerPlacement(call, placement);
  return answer && { user_id: placement.user_id ?? null, ...answer };
};
