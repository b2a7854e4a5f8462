import { type InteractiveMap, interactiveMap } from './cluster-map.ts';
import { type InteractiveDistribution, interactiveDistribution } from './distribution.ts';
import { type InteractiveHistory, interactiveHistory } from './history.ts';
import type { ChartTheme, InteractiveChart } from './theme.ts';

export type { ChartTheme, InteractiveDistribution, InteractiveHistory, InteractiveMap };

/** What a page wants drawn. */
export type ChartData = InteractiveMap | InteractiveDistribution | InteractiveHistory;

export function interactiveChart(data: ChartData, theme: ChartTheme): InteractiveChart {
  switch (data.kind) {
    case 'map':
      return interactiveMap(data, theme);
    case 'distribution':
      return interactiveDistribution(data, theme);
    case 'history':
      return interactiveHistory(data, theme);
  }
}
