export type { Chart } from './chart.ts';
export { type ClusterMap, clusterMap, type MapCluster, type MapPoint } from './cluster-map.ts';
export { type Distribution, distributionChart } from './distribution-chart.ts';
