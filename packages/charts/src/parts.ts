import { CustomChart, ScatterChart } from 'echarts/charts';
import { GraphicComponent, GridComponent, TitleComponent } from 'echarts/components';

/** The parts of ECharts that our charts are made of, for its `use`: a browser adds the renderer it wants. */
export const parts = [CustomChart, ScatterChart, GraphicComponent, GridComponent, TitleComponent];
