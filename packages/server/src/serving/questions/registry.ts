import type { QuestionName } from '../ports.ts';
import { popularItems } from './popular-items.ts';
import type { Question } from './question.ts';
import { rankListedItems } from './rank-items.ts';
import { recommendItems } from './recommend-items.ts';
import { similarItems } from './similar-items.ts';

/** All questions. An operation of the concept Recommendation without an entry does not compile. */
export const questions: { readonly [Name in QuestionName]: Question<Name> } = {
  recommendItemsToUser: recommendItems,
  recommendItemsToItem: similarItems,
  rankItemsForUser: rankListedItems,
  recommendPopularItems: popularItems,
};

export const questionNames = Object.keys(questions) as QuestionName[];
