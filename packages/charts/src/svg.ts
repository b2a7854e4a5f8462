import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Chart } from './chart.ts';
import { parts } from './parts.ts';

use([...parts, SVGRenderer]);

/** The chart as an SVG document: well-formed, self-contained, without script, and for the same chart the same bytes. */
export function renderSvg(chart: Chart): string {
  const { width, height } = chart;
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    drawing.setOption(chart.option);
    return drawing.renderToSVGString();
  } finally {
    drawing.dispose();
  }
}
