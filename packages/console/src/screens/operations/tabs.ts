/** The tabs of Operations, in order. Each has a file. */
export const operationsTabs = {
  jobs: 'Jobs',
  schedules: 'Schedules',
  usage: 'Usage',
  webhooks: 'Webhooks',
  keys: 'API keys',
  people: 'People',
  audit: 'Audit log',
  erasure: 'Erasure',
} as const;

export type OperationsTab = keyof typeof operationsTabs;

export const isOperationsTab = (value: unknown): value is OperationsTab =>
  typeof value === 'string' && Object.hasOwn(operationsTabs, value);
