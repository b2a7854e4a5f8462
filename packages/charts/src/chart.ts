import type { EChartsCoreOption } from 'echarts/core';

/** A chart as data: what ECharts draws, in a browser or as SVG, and what it says to those who do not see it. */
export interface Chart {
  readonly title: string;
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly option: EChartsCoreOption;
}

/** Generic, so that a chart looks at home in any document; nothing is loaded. */
export const fontFamily = 'Helvetica, Arial, sans-serif';

/** Dark enough for print, all of them on white: 4.5 to 1 and more, but for the lines. */
export const ink = { strong: '#1f2933', plain: '#52606d', line: '#cbd2d9', faint: '#e4e7eb' };

const titleStyle = { fontFamily, fontSize: 18, fontWeight: 'bold', color: ink.strong } as const;
const subtitleStyle = { fontFamily, fontSize: 13, color: ink.plain } as const;
export const labelStyle = { fontFamily, fontSize: 12, color: ink.plain } as const;

export const margin = 24;

/** What every chart has: nothing moves, nothing reacts, white paper. */
export function baseOption(title: string, subtitle: string): EChartsCoreOption {
  return {
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { fontFamily },
    title: {
      text: title,
      subtext: subtitle,
      left: margin,
      top: 20,
      padding: 0,
      itemGap: 8,
      textStyle: titleStyle,
      subtextStyle: subtitleStyle,
    },
  };
}
