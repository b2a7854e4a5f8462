/** The metrics that all models have. */
export const metrics = { ndcg_at_20: 'NDCG@20', recall_at_20: 'Recall@20', coverage: 'Coverage' } as const;

export type Metric = keyof typeof metrics;
