/** Every limit a caller can reach: first those of the published API, then our own. */
export const limits = {
  /** Records per upsert and IDs per delete. */
  recordsPerCall: 1000,
  /** The size of one event as JSON in UTF-8 (20 kb). */
  eventBytes: 20_480,
  recordsPerShard: 100_000,
  jobRetries: 3,
  qpsDefault: 1,
  binsDefault: 20,

  numShardsMax: 10_000,
  /** A hundred years: longer than any event is useful. */
  retentionDaysMax: 36_500,
  /** The decompressed body of an upsert, enforced during decompression. */
  bodyBytes: 32 * 1024 * 1024,
  /** The decompressed body of an operation with a list or map: up to 10,000 IDs, 100 queries, 200 attributes. */
  mediumBodyBytes: 4 * 1024 * 1024,
  /** The decompressed body of every other operation. */
  smallBodyBytes: 64 * 1024,
  /** Opening brackets, commas and colons in a body other than an upsert's: 100 queries of 20 conditions have 25,000. */
  bodyParts: 100_000,
  /** Fits a key, a secret and every scope. */
  tokenBodyBytes: 16 * 1024,
  tokenTtlSeconds: 3600,
  /** What Segment's own API accepts. */
  segmentBodyBytes: 512 * 1024,
  /** Events and users of one call of a Segment client. */
  segmentRecords: 2500,
  /** `products` of one message. An order of more products is not made by a person. */
  segmentProducts: 100,
  nameLength: 200,
  developerIdLength: 256,
  /** Fits two IDs of 256, a time and separators. 600 characters of 4 bytes fit PostgreSQL's limit of 2,704 bytes per index row. */
  eventIdLength: 600,
  /** The size of one user or item as JSON in UTF-8. */
  userOrItemBytes: 256 * 1024,
  /**
   * The index that serving reads contains the event type, user_id and item_id. With 100 characters of
   * 4 bytes, the widest index row (2,492 bytes) stays below PostgreSQL's limit of 2,704.
   */
  eventTypeLength: 100,
  attributeNames: 200,
  attributeNameLength: 200,
  /** Numbers of a vector. The pattern of attribute kinds repeats it. */
  vectorLength: 1024,
  /** Vectors in an `attribute_schema`: each takes up to .3 MB in a model's file. */
  vectorAttributes: 4,
  /** Field and attribute names per record. An event of 20 kb has no room for more. */
  recordNames: 4096,
  /** The nesting depth of an event's attributes. */
  attributeDepth: 32,
  /** The latest time a JavaScript Date can hold, in milliseconds. */
  tsMax: 8_640_000_000_000_000,
  /** How far ahead of the server's clock an event may be, in milliseconds: a day, for clocks that are wrong. */
  eventAheadMs: 24 * 3_600_000,
  /** 1990 in seconds. If the newest `ts` of a call is from then on, read as seconds, it is in seconds. */
  tsSecondsFrom: 631_152_000,
  /** The largest `event_value`. Sums of 100 million of them stay exact enough. */
  eventValueMax: 1e12,
  importPathLength: 300,
  /** Columns that an import job renames. */
  importColumns: 200,
  /** Waiting and running jobs per account. */
  liveJobs: 1000,
  /** Unfinished erasures per account. */
  runningErasures: 1000,
  /** Event types that `/check-training` lists, most frequent first. */
  checkedEventTypes: 100,
  /** Entries of a list without `page_size`. */
  listEntriesMax: 10_000,
  /** The approximate size of one list response, which can be built and sent without delaying other calls. */
  listBytes: 4 * 1024 * 1024,
  /** A job's `job_data` or `job_result` as JSON in a list; larger ones are omitted. */
  listedJobPartBytes: 4096,
  pageSizeMax: 1000,
  recommendDefault: 10,
  /** Entries of /get-outcomes: a month of 60 scenarios, models and variants. */
  outcomeDays: 2000,
  recommendMax: 200,
  filterQueryLength: 4096,
  requestedAttributes: 200,
  contextItems: 100,
  /** Items that one call asks similar items for. */
  basketItems: 100,
  rankedItems: 1000,
  /** Items that `/find-items` looks up or returns. */
  foundItems: 1000,
  /** Records that a list returns with `sample`: at most 5 MiB. */
  sampledRecords: 20,
  searchTextLength: 200,
  searchedAttributes: 10,
  /** 90 days. */
  windowHoursMax: 2160,
  excludedItems: 1000,
  excludedEventTypes: 20,
  /** Negative event types per project. */
  negativeEventTypes: 10,
  boosts: 10,
  boostFactorMin: 0.1,
  boostFactorMax: 10,
  pins: 10,
  promotedShare: 0.5,
  newItemShare: 0.5,
  /** An item with fewer events than this is new: with ten, its events say as much as its attributes. */
  newItemEvents: 10,
  /** For each slot that `new_item_share` reserves, one item is drawn among so many. */
  newItemChoices: 5,
  scenariosPerProject: 100,
  /** Versions of a scenario that are kept. */
  scenarioVersions: 20,
  /** Items over all pages of a recommendation. The cursor names those already returned. */
  pagedItems: 1000,
  /** Fits a cursor of `pagedItems` items. */
  cursorLength: 8192,
  /** `user_ids` of a recommending job. */
  listedUsers: 10_000,
  queriesPerJob: 100,
  conditionsPerQuery: 20,
  /** How long the download URL of a result is valid. */
  downloadSeconds: 24 * 3600,
  binsMax: 1000,
  /** The default is what a person can tell apart, the maximum what anyone can use. */
  clustersDefault: 20,
  clustersMax: 50,
  /** A month of hours, and more than a year of days: what a chart can show. */
  statisticsHours: 31 * 24,
  statisticsDays: 400,
  /** Event types with counts of their own in `/get-project-statistics`: as many as can be told apart. */
  statisticsEventTypes: 8,
  /** Pairs of project and caller in `/get-usage`. */
  usageCallers: 1000,
  qpsMax: 1_000_000,
  /** Earlier deployments of a project that a rollback can return to. */
  pastDeployments: 10,
  /** Users whose newest events a guard predicts: twice as many as it takes to detect a loss of 5 %. */
  guardUsers: 20_000,
  /** Fewer users decide nothing. */
  guardUsersMin: 100,
  /** 30 days. */
  holdoutHoursMax: 720,
  peoplePerAccount: 1000,
  /** That are not revoked. */
  apiKeysPerAccount: 1000,
  variantsPerExperiment: 5,
  /** Each needs up to ten models in memory. */
  runningExperiments: 20,
  /** Beyond that, the oldest one that was stopped is removed. */
  experimentsPerProject: 200,
  /** 36 seconds: less than it takes to log an answer and read it. */
  experimentWindowHoursMin: 0.01,
  /** A week, as for `attribution_hours`. */
  experimentWindowHoursMax: 168,
  schedulesPerProject: 50,
  /** `holdout_hours` of a scheduled training with a guard. */
  scheduledHoldoutHours: 24,
  webhooksPerAccount: 20,
  /** Messages that wait for one webhook; with more, it is disabled. */
  webhookBacklog: 10_000,
  /** How long an earlier secret of a webhook still signs messages. */
  secretOverlapHours: 24,
  passwordLengthMin: 12,
  /** Hashing a longer one would only cost time. */
  passwordLengthMax: 256,
} as const;

/** How many numbers a vector of this kind has; undefined for other kinds. */
export function vectorLength(kind: string): number | undefined {
  const [, length] = /^VECTOR\((\d+)\)$/.exec(kind) ?? [];
  return length === undefined ? undefined : Number(length);
}
