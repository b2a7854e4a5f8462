import type { Handler } from '../../http/handlers.ts';
import type { Metrics } from '../../kernel/observability/metrics.ts';
import { recommendations, results } from '../metrics.ts';
import type { QuestionName } from '../ports.ts';
import { popularItems } from '../questions/popular-items.ts';
import { rankListedItems } from '../questions/rank-items.ts';
import { recommendItems } from '../questions/recommend-items.ts';
import { similarItems } from '../questions/similar-items.ts';
import type { Question } from '../search/question-call.ts';
import { type ServerContext, serve } from './serve.ts';

/** The scenario of calls that name none. */
const defaultScenario = 'default';
/** The most scenarios that one process tells apart; more series would slow down Prometheus. */
const maxScenarioLabels = 200;

type QuestionHandlers = { readonly [Name in QuestionName]: Handler<Name> };

/** All questions. An operation of the concept Recommendation without an entry does not compile. */
const questions: { readonly [Name in QuestionName]: Question<Name> } = {
  recommendItemsToUser: recommendItems,
  recommendItemsToItem: similarItems,
  rankItemsForUser: rankListedItems,
  recommendPopularItems: popularItems,
};

const questionNames = Object.keys(questions) as QuestionName[];

/** The handlers of all questions. */
export function questionHandlers(server: ServerContext): QuestionHandlers {
  const handlerOf = <Name extends QuestionName>(name: Name): Handler<Name> => {
    const question = questions[name];
    return (caller, request) => serve(server, name, question, caller, request);
  };
  const handlers = questionNames.map((name) => [name, handlerOf(name)]);
  return Object.fromEntries(handlers) as QuestionHandlers;
}

/** Counts the answers to these questions and their items. Scenarios beyond the first 200 are counted together, as `other`. */
export function countAnswers(metrics: Metrics, names = questionNames): ServerContext['countAnswer'] {
  for (const question of names) {
    metrics.add(recommendations, { question, scenario: defaultScenario }, 0);
    metrics.add(results, { question, scenario: defaultScenario }, 0);
  }
  const known = new Set([defaultScenario]);
  return (question, items, name = defaultScenario) => {
    const isOther = !known.has(name) && known.size >= maxScenarioLabels;
    const scenario = isOther ? 'other' : name;
    if (!isOther) known.add(name);
    metrics.add(recommendations, { question, scenario });
    metrics.add(results, { question, scenario }, items);
  };
}
