import { type InteractiveMap, interactiveMap } from './cluster-map.ts';
import { type InteractiveDistribution, interactiveDistribution } from './distribution.ts';
import { type InteractiveHistory, interactiveHistory } from './history.ts';
import { type InteractiveSeries, interactiveSeries } from './series.ts';
import type { ChartTheme, InteractiveChart } from './theme.ts';

export type { ChartTheme, InteractiveDistribution, InteractiveHistory, InteractiveMap, InteractiveSeries };

/** What a page wants drawn. */
export type ChartData = InteractiveMap | InteractiveDistribution | InteractiveSeries | InteractiveHistory;

export function interactiveChart(data: ChartData, theme: ChartTheme): InteractiveChart {
  switch (data.kind) {
    case 'map':
      return interactiveMap(data, theme);
    case 'distribution':
      return interactiveDistribution(data, theme);
    case 'series':
      return interactiveSeries(data, theme);
    case 'history':
      return interactiveHistory(data, theme);
  }
}
