interface OpenQuestion {
  /** What the published contract says, or leaves out as "not shown". */
  readonly question: string;
  readonly answer: string;
  /** The files that implement it, below `packages/`. The link check verifies that they exist. */
  readonly code: readonly string[];
}

/** What the published contract leaves open, in the order of the contract. */
export const openQuestions: readonly OpenQuestion[] = [
  {
    question: 'How to get a token, its lifetime, and the rules for scopes',
    answer:
      '`POST /oauth/token` with OAuth 2.0 client credentials. A token is valid for one hour, and its scope is one or more operation paths.',
    code: ['server/src/keys/issue-token.ts', 'server/src/keys/authenticate.ts'],
  },
  {
    question: 'The error body, status codes and error codes',
    answer:
      'RFC 9457 with a stable `code`: see [errors](errors.md). Resources of other accounts are reported as not found.',
    code: ['contract/src/errors.ts', 'server/src/http/errors.ts'],
  },
  {
    question: 'Which fields are required',
    answer:
      'As listed in [operations](operations.md). For an optional field, `null` is the same as absent, except in an update where null removes the value, such as `attribute_schema`. A request with an unknown field is rejected, and the error names the field.',
    code: ['server/src/http/validate.ts'],
  },
  {
    question: 'The format of identifiers, and the length of names',
    answer: 'A prefix and a UUIDv7 in base 32. For the lengths, see [limits](limits.md).',
    code: ['contract/src/ids.ts', 'contract/src/limits.ts'],
  },
  {
    question: 'The unit of `created_ts`',
    answer: 'Milliseconds since the Unix epoch (UTC). `expired_at_sec` is in seconds.',
    code: ['contract/src/fields.ts'],
  },
  {
    question: 'In one observed response, the ID of a new item or event dataset is in `user_dataset_id`',
    answer: 'The field is named after the kind of dataset.',
    code: ['contract/src/concepts/datasets.ts'],
  },
  {
    question: 'The attribute kinds of an enterprise plan, whose names are not given',
    answer: '`TEXT` and `VECTOR(n)`, for item attributes.',
    code: ['contract/src/concepts/datasets.ts'],
  },
  {
    question: 'At most 100,000 records per shard',
    answer:
      'The limit applies to the dataset as a whole, and is enforced exactly. You can always update an existing record.',
    code: ['server/src/datasets/records/upsert-records.ts'],
  },
  {
    question: 'Why a record failed',
    answer: '`failures` has a code and a message for each failed record.',
    code: ['server/src/datasets/records/check-record.ts'],
  },
  {
    question: 'The other values of `job_status`, and the transitions',
    answer:
      '`PENDING`, `RUNNING`, `SUCCEED`, `FAILED`, `CANCELED`. At most three automatic retries with increasing delays.',
    code: ['contract/src/concepts/jobs.ts', 'server/src/jobs/engine/run-jobs.ts'],
  },
  {
    question: 'How `serving_uri` relates to the URL of the recommendation call',
    answer:
      'The call is served at `serving_uri`, and at `{base_url}` for the default project or the one in `project_id`.',
    code: ['server/src/serving/state/projects.ts'],
  },
  {
    question: 'The request field that sets `filter_query`',
    answer: '`filter_query`, a CEL expression over `item`.',
    code: ['server/src/filters/compile-filter.ts'],
  },
  {
    question: 'The types of `value`, `lower_bound` and `upper_bound` in queries',
    answer: '`value` is a string, number or boolean. The bounds are inclusive numbers from 0 to 1.',
    code: ['server/src/analyses/querying/job.ts'],
  },
  {
    question: 'Pagination of list operations',
    answer:
      'Without `page_size`, a list is complete, up to 10,000 entries. Use `page_size` and `page_token` to get pages.',
    code: ['server/src/http/pages.ts'],
  },
  {
    question: 'Rate limits',
    answer:
      '`qps` for recommendations, limits per API key and per address for token requests, and a maximum number of concurrent calls per account and process.',
    code: ['server/src/kernel/redis/token-bucket.ts'],
  },
  {
    question: "The plan's cap on the sum of `num_shards`",
    answer:
      'In the default plan: 10,000 for event datasets, 100,000 for user datasets and 100,000 for item datasets. Operators can set other plans per account.',
    code: ['server/src/datasets/api.ts'],
  },
];
