import { limits } from '../limits.ts';

/** What each limit is of. A limit that is missing here does not compile. */
const meanings: Readonly<Record<keyof typeof limits, string>> = {
  recordsPerCall: 'records in one upsert, ids in one delete',
  recordBytes: 'bytes of one record, as JSON in UTF-8',
  recordsPerShard: 'records for each shard of a dataset',
  jobRetries: 'automatic retries of a job',
  qpsDefault: 'queries per second of a deployment that names none',
  binsDefault: 'bins of a distribution that names none',
  numShardsMax: 'shards of one dataset; an account’s plan caps the sum over its event datasets',
  bodyBytes: 'bytes of a request’s body, decompressed',
  bodyParts: 'objects, arrays and keys in a request’s body',
  tokenBodyBytes: 'bytes of a token request',
  tokenTtlSeconds: 'seconds that a token is good for',
  nameLength: 'characters of a name',
  developerIdLength: 'characters of a `user_id`, `item_id` or `event_id`',
  eventTypeLength: 'characters of an `event_type`',
  attributeNames: 'names in an `attribute_schema`, and other maps',
  attributeNameLength: 'characters of an attribute’s name',
  attributeDepth: 'objects and arrays inside each other in an event’s attributes',
  tsMax: 'the latest time, in milliseconds',
  liveJobs: 'jobs of an account that wait or run',
  checkedEventTypes: 'event types that `/check-training` names',
  pageSizeDefault: 'elements of a page that names no `page_size`',
  pageSizeMax: 'elements of a page',
  recommendDefault: 'items of a recommendation that names no `limit`',
  recommendMax: 'items of a recommendation',
  filterQueryLength: 'characters of a `filter_query`',
  requestedAttributes: 'attributes asked for in a recommendation',
  queriesPerJob: 'queries in a querying job',
  conditionsPerQuery: 'conditions in a query',
  downloadSeconds: 'seconds that the address of a result is good for; `/get-job` gives a fresh one',
  binsMax: 'bins of a distribution',
  clustersDefault: 'groups of a clustering that names no `max_clusters`, at most',
  clustersMax: 'groups of a clustering',
  qpsMax: 'queries per second of a deployment',
};

export function limitsPage(): string {
  const rows = Object.entries(meanings).map(
    ([name, meaning]) => `| ${limits[name as keyof typeof limits].toLocaleString('en')} | ${meaning} |`,
  );
  return `# Limits

Generated from the contract; do not edit. What goes beyond one is refused with a code that says so: [errors](errors.md).

| | |
|---|---|
${rows.join('\n')}

What a filter may contain and cost: [decisions/filters](../decisions/filters.md#what-a-filter-may-cost). Calls are also limited by address for tokens, and by \`qps\` for
recommendations.
`;
}
