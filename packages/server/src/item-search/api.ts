import type { Request, Response } from '@tastegraph/contract';
import { both, type Filter } from '../filters/compile-filter.ts';
import type { Handlers } from '../http/handlers.ts';
import { within } from '../kernel/lib/within.ts';
import type { ServerContext } from '../serving/call/serve.ts';
import { CallBudget, callBounds } from '../serving/call-budget.ts';
import { CallClock } from '../serving/call-clock.ts';
import { itemOf } from '../serving/questions/show-items.ts';
import { readRecords } from '../serving/search/read-records.ts';
import { findMatches, type ItemSearch } from './find-matches.ts';
import { compileText } from './text-filter.ts';

type FoundItems = Response<'findItems'>;

const defaultLimit = 20;
/** Share of the call's time for finding the matches; the rest is for reading what is shown of them. */
const searchShare = 0.8;

export function itemSearchHandlers(server: ServerContext) {
  return {
    findItems: (caller, request) => serveFindItems(server, caller.accountId, request),
  } as const satisfies Handlers;
}

/** Finds items within the limits of recommendation calls: their deadline, their budget, and as many at a time per account. */
async function serveFindItems(
  { serving, projects, limiter }: Pick<ServerContext, 'serving' | 'projects' | 'limiter'>,
  accountId: string,
  request: Request<'findItems'>,
): Promise<FoundItems> {
  const clock = new CallClock(serving.deadlineMs);
  const { project_id, item_ids, filter_query = null, attributes = [] } = request;
  const text = compileText(request.text ?? '', request.text_attributes ?? []);
  const cel = filter_query === null ? undefined : serving.compileFilter(filter_query, accountId);
  const filter = text ? both(cel, text) : cel;
  const limit = request.limit ?? item_ids?.length ?? defaultLimit;
  const find = async (): Promise<FoundItems> => {
    const project = await within(clock.leftMs(), projects.read(accountId, project_id));
    const reads = serving.reads.forCall(project, clock.endMs);
    const budget = new CallBudget(project.account_id, clock.leftMs);
    const search = {
      project,
      reads,
      mirrors: serving.mirrors,
      // Everything matches without one.
      filter: filter ?? serving.compileFilter('true', accountId),
      text,
      limit,
      budget: budget.share(searchShare),
    };
    const shown = { attributes, leftMs: clock.leftMs };
    if (item_ids) return { project_id, ...(await findListed(search, [...new Set(item_ids)], shown)) };
    const { ids, count, isComplete } = await findMatches(search);
    const { items } = await findListed({ ...search, filter: undefined }, ids, shown);
    return { project_id, items, match_count: count, is_complete: isComplete };
  };
  try {
    return await limiter(find, { key: accountId });
  } catch (error) {
    throw clock.explain(error);
  }
}

interface Shown {
  readonly attributes: readonly string[];
  readonly leftMs: () => number;
}

/** The listed items that have a record and match, as they are now. */
async function findListed(
  { reads, budget, limit, filter }: Omit<ItemSearch, 'filter'> & { readonly filter: Filter | undefined },
  ids: readonly string[],
  { attributes, leftMs }: Shown,
): Promise<Pick<FoundItems, 'items' | 'match_count' | 'is_complete'>> {
  const fields =
    filter && !filter.attributes ? 'all' : [...new Set([...attributes, ...(filter?.attributes ?? [])])];
  const items: FoundItems['items'] = [];
  let match_count = 0;
  let bytes = 0;
  for await (const { from, to, records } of readRecords({ reads, leftMs }, ids, fields)) {
    for (const id of ids.slice(from, to)) {
      const record = records.get(id);
      if (!record || (filter && !filter.matches(record.attributes, id, budget))) continue;
      match_count++;
      if (items.length === limit) continue;
      bytes += record.length;
      items.push(itemOf(id, attributes, record.attributes));
    }
    // What is left would make the response too large to be written at once.
    if (bytes > callBounds.answerBytes && to < ids.length) return { items, match_count, is_complete: false };
  }
  return { items, match_count, is_complete: true };
}
