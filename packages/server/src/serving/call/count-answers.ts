import type { Metrics } from '../../kernel/observability/metrics.ts';
import { recommendations, results } from '../metrics.ts';
import type { QuestionName } from '../ports.ts';

export type CountAnswer = (question: QuestionName, items: number, scenario: string | undefined) => void;

/** The scenario of calls that name none. */
const defaultScenario = 'default';
/** The most scenarios that one process tells apart; more series would slow down Prometheus. */
const maxScenarioLabels = 200;

/** Counts the answers to these questions and their items. Scenarios beyond the first 200 are counted together, as `other`. */
export function countAnswers(metrics: Metrics, questions: readonly QuestionName[]): CountAnswer {
  for (const question of questions) {
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
