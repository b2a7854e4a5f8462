/** Our ids are TypeIDs: a prefix that says what it is, and a UUIDv7 in 26 characters of base 32. */
export const idPrefixes = {
  account: 'acc',
  userDataset: 'uds',
  itemDataset: 'ids',
  eventDataset: 'eds',
  project: 'prj',
  algorithm: 'alg',
  model: 'mdl',
  job: 'job',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** An API key names the cell its account lives in, so that a load balancer can route by the header alone. */
export const apiKeyPattern = '^tg_[a-z0-9]{1,16}_[0-9A-Za-z]{24}$';
