/** The colours of the page that a chart is part of. */
export interface ChartTheme {
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly card: string;
  readonly accent: string;
  readonly fontFamily: string;
  /** On the screen of a phone. */
  readonly isNarrow: boolean;
}

/** A chart of a page, as data: what ECharts draws, and what is said to those who do not see it. */
export interface InteractiveChart {
  readonly description: string;
  readonly option: Record<string, unknown>;
}

export const axisLabel = ({ muted, fontFamily }: ChartTheme) => ({ color: muted, fontFamily, fontSize: 12 });

/** What the bars or points of a chart are, by name. */
export const categoryAxis = (theme: ChartTheme, names: readonly string[]) => ({
  type: 'category' as const,
  data: names,
  axisLabel: { ...axisLabel(theme), hideOverlap: true },
  axisLine: { lineStyle: { color: theme.line } },
  axisTick: { show: false },
});

/** How much there is of each. */
export const valueAxis = (theme: ChartTheme, format: (value: number) => string) => ({
  type: 'value' as const,
  axisLabel: { ...axisLabel(theme), formatter: format },
  splitLine: { lineStyle: { color: theme.line } },
});

/** Drawn on the canvas: a tooltip of HTML needs style attributes, which a strict content security policy forbids. */
export const tooltip = ({ ink, line, card, fontFamily }: ChartTheme) => ({
  renderMode: 'richText' as const,
  confine: true,
  backgroundColor: card,
  borderColor: line,
  borderWidth: 1,
  padding: 10,
  textStyle: { color: ink, fontFamily, fontSize: 12, lineHeight: 18 },
});

/** The wheel scrolls the page; with Ctrl it zooms, as do two fingers. */
export const zoom = (axis: 'xAxisIndex' | 'yAxisIndex') => ({
  type: 'inside' as const,
  [axis]: 0,
  filterMode: 'none' as const,
  zoomOnMouseWheel: 'ctrl' as const,
  moveOnMouseWheel: false,
  preventDefaultMouseMove: false,
});
