import { limits } from '../../src/limits.ts';

/** The meaning of each limit. A limit that is missing here does not compile. */
const meanings: Readonly<Record<keyof typeof limits, string>> = {
  recordsPerCall: 'records per upsert, and IDs per delete',
  eventBytes: 'bytes per event, as JSON in UTF-8',
  recordsPerShard: 'records per shard of a dataset',
  jobRetries: 'automatic retries per job',
  qpsDefault:
    'queries per second if the first deployment of a project has no `qps`; a later deployment without `qps` keeps the current number',
  binsDefault: 'bins in a distribution that does not set `bins`',
  numShardsMax:
    'shards per dataset; the plan of an account also caps the total over all its user datasets, over all its item datasets and over all its event datasets',
  retentionDaysMax: '`retention_days` of an event dataset',
  bodyBytes: 'bytes of the body of an upsert, decompressed',
  mediumBodyBytes:
    'bytes of the body of a recommendation call, of a delete by ID, or of a call that submits a querying or recommending job or creates or updates a dataset, decompressed',
  smallBodyBytes: 'bytes of the body of any other operation, decompressed',
  bodyParts:
    'opening brackets, commas and colons, in total, in the JSON body of an operation other than an upsert',
  tokenBodyBytes: 'bytes of a token request',
  tokenTtlSeconds: 'seconds for which a token is valid',
  segmentBodyBytes: 'bytes of the body of a call for [Segment](operations.md#segment), decompressed',
  segmentRecords: 'messages in a call for Segment, counting each product as one',
  segmentProducts: '`products` in a message of a call for Segment; the message fails',
  nameLength: 'characters in a name',
  developerIdLength: 'characters in a `user_id` or `item_id`',
  eventIdLength: 'characters in an `event_id`',
  userOrItemBytes: 'bytes per user or item, as JSON in UTF-8',
  eventTypeLength: 'characters in an `event_type`',
  attributeNames: 'names in an `attribute_schema` or in `event_weights`',
  attributeNameLength: 'characters in the name of an attribute',
  vectorLength: 'numbers in a value of kind `VECTOR(n)`',
  vectorAttributes: 'attributes of kind `VECTOR(n)` in an `attribute_schema`',
  recordNames: 'fields and attributes per record, including nested ones',
  attributeDepth: 'levels of nested objects and arrays in the attributes of an event',
  tsMax: 'the latest `ts` that an event can have, in milliseconds since the Unix epoch',
  eventAheadMs: "how far ahead of the server's clock the `ts` of an event may be, in milliseconds",
  tsSecondsFrom: 'the smallest `ts` that is taken for seconds if it is the newest of a call',
  eventValueMax: 'the largest `event_value`',
  importPathLength: 'characters of the path of an import job',
  importColumns: 'columns that an import job renames',
  liveJobs: 'waiting and running jobs per account',
  runningErasures: 'unfinished erasures per account',
  checkedEventTypes: 'event types in the response of `/check-training`',
  listEntriesMax: 'entries in a list without `page_size`',
  listBytes: 'bytes in one response of a list operation, approximately; `next_page_token` leads to the rest',
  listedJobPartBytes: 'bytes in a `job_data` or `job_result` in `/list-jobs`; larger ones are omitted',
  pageSizeMax: 'entries per page',
  recommendDefault: 'items in a recommendation without `limit`',
  outcomeDays: 'entries of `/get-outcomes`',
  recommendMax:
    'items in a recommendation; a larger `limit` is treated as this number, and `message` says so',
  filterQueryLength: 'characters in a `filter_query`',
  requestedAttributes: 'requested attributes per recommendation',
  basketItems: 'items in `item_ids` of `/recommend-items-to-item`',
  rankedItems: 'items in `item_ids` of `/rank-items-for-user`',
  foundItems: 'items that `/find-items` returns, and in its `item_ids`',
  sampledRecords: '`sample` of a list of users or items',
  searchTextLength: 'characters in `text` of `/find-items`',
  searchedAttributes: 'attributes in `text_attributes` of `/find-items`',
  windowHoursMax: 'hours in the `window_hours` of `/recommend-popular-items`',
  contextItems: 'items in `context_items`',
  excludedItems: 'items in `exclude_item_ids`',
  excludedEventTypes: 'event types in `exclude_event_types`',
  negativeEventTypes: 'event types in `negative_event_types`',
  boosts: '`boosts` per recommendation',
  boostFactorMin: 'the smallest `factor` of a boost',
  boostFactorMax: 'the largest `factor` of a boost',
  pins: '`pins` per recommendation',
  promotedShare: 'the largest `share` of `promote`',
  newItemShare: 'the largest `new_item_share`',
  newItemEvents: 'events of an item from which on it is no longer new for `new_item_share`',
  newItemChoices: 'new items among which one is drawn for a slot that `new_item_share` reserves',
  scenariosPerProject: 'scenarios per project',
  scenarioVersions: 'versions of a scenario that are kept',
  pagedItems: 'items over all pages of a recommendation; the last page has no `cursor`',
  cursorLength: 'characters in the `cursor` of a recommendation',
  listedUsers: 'users in the `user_ids` of a recommending job',
  queriesPerJob: 'queries per querying job',
  conditionsPerQuery: 'conditions per query',
  downloadSeconds: 'seconds for which the download URL of a result is valid; `/get-job` returns a new one',
  binsMax: 'bins per distribution',
  clustersDefault: 'clusters per clustering that does not set `max_clusters`',
  clustersMax: 'the largest `max_clusters` of a clustering',
  statisticsHours: 'hours in the range of `/get-project-statistics` with the interval `HOUR`',
  statisticsDays: 'days in the range of `/get-project-statistics` and `/get-usage`',
  statisticsEventTypes: 'event types with counts of their own in `/get-project-statistics`',
  usageCallers: 'pairs of project and caller in the response of `/get-usage`',
  qpsMax: 'queries per second per deployment',
  variantsPerExperiment: 'variants per experiment',
  runningExperiments: 'running experiments per account; one per scenario',
  experimentsPerProject:
    'experiments per project that are kept; a new one removes the oldest one that was stopped',
  experimentWindowHoursMin: 'hours in the `window_hours` of an experiment, at least',
  experimentWindowHoursMax: 'hours in the `window_hours` of an experiment, at most',
  schedulesPerProject: 'schedules per project',
  scheduledHoldoutHours: '`holdout_hours` of a scheduled training with a guard that does not set it',
  webhooksPerAccount: 'webhooks per account',
  webhookBacklog: 'messages that wait for one webhook; with more, it is disabled',
  secretOverlapHours: 'hours for which an earlier secret of a webhook still signs messages',
  pastDeployments: 'earlier deployments per project that a rollback can return to',
  guardUsers: 'users whose newest events the guard of a deployment predicts',
  guardUsersMin: 'users with newer events that the guard of a deployment needs to decide',
  holdoutHoursMax: 'the largest `holdout_hours` of a training',
  peoplePerAccount: 'people per account',
  apiKeysPerAccount: 'API keys per account that are not revoked',
  passwordLengthMin: "characters in a person's password, at least",
  passwordLengthMax: "characters in a person's password",
};

export function limitsPage(): string {
  const rows = Object.entries(meanings).map(
    ([name, meaning]) => `| ${limits[name as keyof typeof limits].toLocaleString('en')} | ${meaning} |`,
  );
  return `# Limits

Generated from the contract; do not edit. Unless the table says otherwise, a call that exceeds a limit fails with one of these [errors](errors.md).

| limit | meaning |
|---|---|
${rows.join('\n')}

For what a filter may contain and how much work it may take, see [filtering](../guide/filtering.md#what-a-filter-may-cost). Token requests are also limited
per key and per address (see [token limits](../operations/running.md#token-limits)), and recommendations by \`qps\`.
`;
}
