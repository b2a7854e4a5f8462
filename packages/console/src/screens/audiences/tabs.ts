export const audiencesTabs = { clusters: 'Clusters', affinity: 'Affinity', lists: 'User lists' } as const;

export type AudiencesTab = keyof typeof audiencesTabs;

export const isAudiencesTab = (value: unknown): value is AudiencesTab =>
  typeof value === 'string' && Object.hasOwn(audiencesTabs, value);
