/** Every limit a caller can run into, once. Those of the published API first, then those we settled. */
export const limits = {
  /** Records in one upsert, ids in one delete. */
  recordsPerCall: 1000,
  /** One record as JSON in UTF-8: 20 kb. */
  recordBytes: 20_480,
  recordsPerShard: 100_000,
  jobRetries: 3,
  qpsDefault: 1,
  binsDefault: 20,

  numShardsMax: 10_000,
  /** Decompressed request body, kept while it is being decompressed. */
  bodyBytes: 32 * 1024 * 1024,
  /** Objects, arrays and keys in a request body: a thousand for each record of a full call. */
  bodyParts: 1_000_000,
  /** A token request holds a key, a secret and at most every scope there is. */
  tokenBodyBytes: 16 * 1024,
  tokenTtlSeconds: 3600,
  nameLength: 200,
  developerIdLength: 256,
  /**
   * An event's type stands in the index that serving reads, beside user_id and item_id. 100 characters of
   * 4 bytes keep the widest index row (2,492 bytes) under PostgreSQL's 2,704.
   */
  eventTypeLength: 100,
  attributeNames: 200,
  attributeNameLength: 200,
  /** Objects and arrays inside each other in an event's attributes. */
  attributeDepth: 32,
  /** The largest instant a JavaScript Date can hold, in milliseconds. */
  tsMax: 8_640_000_000_000_000,
  /** Jobs of one account that wait or run. */
  liveJobs: 1000,
  /** Event types that a check before training names, most frequent first. */
  checkedEventTypes: 100,
  pageSizeDefault: 100,
  pageSizeMax: 1000,
  recommendDefault: 10,
  recommendMax: 200,
  filterQueryLength: 4096,
  requestedAttributes: 200,
  queriesPerJob: 100,
  conditionsPerQuery: 20,
  /** How long the address of a result holds. */
  downloadSeconds: 24 * 3600,
  binsMax: 1000,
  /** As many groups as a person can keep apart; and as anybody can use. */
  clustersDefault: 20,
  clustersMax: 50,
  qpsMax: 1_000_000,
} as const;
