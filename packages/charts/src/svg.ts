import { CustomChart, ScatterChart } from 'echarts/charts';
import { GraphicComponent, GridComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Chart } from './chart.ts';

use([CustomChart, ScatterChart, GraphicComponent, GridComponent, TitleComponent, SVGRenderer]);

/** The chart as an SVG document: well-formed, self-contained, without script, and for the same chart the same bytes. */
export function renderSvg(chart: Chart): string {
  const { width, height } = chart;
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    drawing.setOption(chart.option);
    return document(chart, drawing.renderToSVGString());
  } finally {
    drawing.dispose();
  }
}

/**
 * What ECharts drew, with a title and a description for readers who do not see it, and without its classes and notes: they only
 * serve the pointer, and are numbered through the life of the process, so that the same chart would differ each time.
 * Texts are escaped in `drawn`: what looks like markup is markup.
 */
function document({ title, description, width, height }: Chart, drawn: string): string {
  const inner = drawn
    .slice(drawn.indexOf('>') + 1)
    .replace(/<style >.*?<\/style>\n?/s, '')
    .replaceAll(/ (?:class|ecmeta_\w+)="[^"]*"/g, '')
    .replaceAll(/><\/(?:path|rect|circle)>/g, '/>');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escape(title)}</title>`,
    `<desc>${escape(description)}</desc>${inner}\n`,
  ].join('\n');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
