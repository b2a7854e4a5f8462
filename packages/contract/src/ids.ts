/** Our IDs are TypeIDs: a prefix for the type, and a UUIDv7 as 26 characters of base 32. That of a response ends with a signature. */
export const idPrefixes = {
  account: 'acc',
  userDataset: 'uds',
  itemDataset: 'ids',
  eventDataset: 'eds',
  project: 'prj',
  algorithm: 'alg',
  model: 'mdl',
  job: 'job',
  erasure: 'ers',
  recommendation: 'rec',
  person: 'prs',
  schedule: 'sch',
  experiment: 'exp',
  webhook: 'whk',
  message: 'msg',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** An API key contains the cell of its account, so that a load balancer can route by the header alone. */
export const apiKeyPattern = '^tg_[a-z0-9]{1,16}_[0-9A-Za-z]{24}$';
/** A write key is an API key and its secret in one text, which is sent as it is. */
export const writeKeyPattern = '^(tg_[a-z0-9]{1,16}_[0-9A-Za-z]{24})_([0-9A-Za-z]{43})$';
