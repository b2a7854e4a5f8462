import { Usage } from '@tastegraph/algorithms';
import { analyse } from '../analysis/analyse.ts';
import { distribute } from './distribute.ts';
import { listMatching } from './list-matching.ts';
import type { Answered, Queries } from './protocol.ts';

/** A thread that answers the queries of one job. */
await analyse<Answered>(async (asked: Queries, analysing) => {
  const { snapshot, model, report } = analysing;
  report('reading', 0, "users' tastes");
  const usage = new Usage(snapshot, model);
  const message =
    asked.query_type === 'user_list'
      ? await listMatching(usage, asked.queries, analysing)
      : await distribute(usage, asked.queries, analysing);
  return { message };
});
