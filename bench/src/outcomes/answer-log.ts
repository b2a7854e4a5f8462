import { setTimeout as sleep } from 'node:timers/promises';
import { DecisionLog } from '@tastegraph/server/decision-log';
import { createLog } from '@tastegraph/server/log';
import { createMetrics } from '@tastegraph/server/metrics';
import { openObjectStore } from '@tastegraph/server/object-store';
import * as outcomeMetrics from '@tastegraph/server/outcome-metrics';

export type Answer = Parameters<DecisionLog['add']>[0];

/** How many answers wait at most: below the buffer's limit, so that none is dropped. */
const maxWaiting = 10_000;
const perTurn = 500;

/** Writes answers as serving processes do, as fast as it can. Calls would take far longer, and could not be in the past. */
export async function logAnswers(objectsFolder: string, answers: Iterable<Answer>): Promise<number> {
  const store = await openObjectStore({ kind: 'folder', root: objectsFolder });
  let count = 0;
  const metrics = createMetrics(Object.values(outcomeMetrics));
  const decisions = new DecisionLog({ store, log: createLog('warn', 'bench'), metrics });
  for (const answer of answers) {
    decisions.add(answer);
    if (++count % perTurn === 0) {
      await sleep(0);
      while (decisions.unwritten > maxWaiting) await sleep(5);
    }
  }
  await decisions.close();
  const dropped = Number(/^tastegraph_decisions_dropped_total (\d+)$/m.exec(await metrics.read())?.[1]);
  if (dropped !== 0) throw new Error(`${dropped} answers were dropped`);
  return count;
}

const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** The ID of an answer that was given at `ts`, as the service creates it; `random` is the rest. */
export function answerId(ts: number, random: () => number): string {
  let time = '';
  for (let rest = ts, place = 0; place < 10; place++, rest = Math.floor(rest / 32))
    time = digits.charAt(rest % 32) + time;
  let rest = '';
  for (let place = 0; place < 16; place++) rest += digits.charAt(Math.floor(random() * 32));
  return `rec_${time}${rest}`;
}

/** What is the same in all answers of a benchmark. */
export function newAnswer(
  fields: Pick<Answer, 'recommendation_id' | 'account_id' | 'project_id' | 'ts'> & Partial<Answer>,
): Answer {
  return {
    question: 'recommendItemsToUser',
    scenario: 'default',
    scenario_version: null,
    variant: null,
    model_id: null,
    ranker_model_id: null,
    user_id: null,
    is_trial: false,
    item_ids: [],
    detail: { scores: [], degraded: [], request: { limit: 10 } },
    ...fields,
  };
}
