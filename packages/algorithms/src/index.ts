export { ndcg, recall } from './ranking-metrics.ts';
