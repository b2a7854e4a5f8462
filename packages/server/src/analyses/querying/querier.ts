import { AffinityReader } from '@tastegraph/algorithms';
import { analyse } from '../analyse.ts';
import type { Queries, QueryingResult } from '../protocol.ts';
import { distribute } from './distribute.ts';
import { listMatching } from './list-matching.ts';

/** The thread that answers the queries of one job. */
await analyse<QueryingResult>(async (request: Queries, context) => {
  const { snapshot, model, report } = context;
  report('reading', 0, "users' tastes");
  const affinity = new AffinityReader(snapshot, model);
  const message =
    request.query_type === 'user_list'
      ? await listMatching(affinity, request, context)
      : await distribute(affinity, request, context);
  return { message };
});
