import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { DataZoomInsideComponent, GridComponent, TooltipComponent } from 'echarts/components';
import { use } from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { CanvasRenderer } from 'echarts/renderers';

use([
  BarChart,
  CustomChart,
  LineChart,
  ScatterChart,
  DataZoomInsideComponent,
  GridComponent,
  TooltipComponent,
  LabelLayout,
  CanvasRenderer,
]);

/** ECharts with the parts that the charts of `interactive/` are made of, for a page. */
export { init } from 'echarts/core';
