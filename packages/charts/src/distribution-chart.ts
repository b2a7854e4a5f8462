import type { CustomSeriesOption } from 'echarts/charts';
import { baseOption, type Chart, ink, labelStyle, margin } from './chart.ts';
import { count, printable, share, shortCount, textWidth, users } from './texts.ts';

/** How many users make how much use of one value of one item attribute. */
export interface Distribution {
  readonly attribute: string;
  readonly value: string | number | boolean;
  /** Where bins begin and end, as shares from 0 to 1, ascending: one more than there are counts. */
  readonly edges: readonly number[];
  /** Users in each bin. */
  readonly counts: readonly number[];
  /** All users asked about; more than the counts' sum where some are in no bin. */
  readonly userCount: number;
  /** The median affinity, where it is known better than by the bin it lies in. */
  readonly median?: number;
  readonly modelName?: string;
}

const width = 960;
const height = 540;
const top = 104;
const bottom = 72;

/** A query may ask for no more; at this number a bin is still nearly a pixel wide. */
const maxBins = 1000;
/** Narrower bars blur into each other when they are drawn one by one: their outline is drawn instead. */
const narrowestBar = 3;
const barColor = '#2f6f9f';
const barLabel = { ...labelStyle, fontSize: 11, color: ink.strong };

/** A histogram, made to be pasted into a report. */
export function distributionChart(distribution: Distribution): Chart {
  check(distribution);
  const { attribute, edges, counts } = distribution;
  const value = printable(String(distribution.value), 30);
  const title = `Users by affinity for ${printable(attribute, 28)} = ${value}`;
  const subtitle = summary(distribution);

  const highest = counts.reduce((most, users) => Math.max(most, users), 0);
  const step = roundStep(highest);
  const ceiling = Math.max(step, Math.ceil(highest / step) * step);
  const labelsWidth = textWidth(count(ceiling), labelStyle.fontSize);
  const left = margin + 24 + labelsWidth;
  const [from = 0, to = 1] = [edges[0], edges.at(-1)];
  const pixels = (width - left - margin) / (to - from);

  const narrowest = counts.reduce((least, _, bin) => Math.min(least, binWidth(edges, bin) * pixels), width);
  const dense = narrowest < narrowestBar;
  const option = {
    ...baseOption(title, subtitle),
    grid: { left, right: margin + 8, top, bottom, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      min: from,
      max: to,
      splitNumber: 10,
      name: 'Usage',
      nameLocation: 'middle',
      nameGap: 34,
      nameTextStyle: labelStyle,
      axisLabel: { ...labelStyle, formatter: share },
      axisLine: { show: true, onZero: false, lineStyle: { color: ink.plain } },
      axisTick: { show: true, lineStyle: { color: ink.plain } },
      splitLine: { show: false },
    },
    yAxis: {
      type: 'value',
      min: 0,
      max: ceiling,
      interval: step,
      name: 'Number of users',
      nameLocation: 'middle',
      nameGap: labelsWidth + 16,
      nameTextStyle: labelStyle,
      axisLabel: { ...labelStyle, formatter: count },
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { lineStyle: { color: ink.faint } },
    },
    series: highest === 0 ? [] : [...(dense ? [outline(edges, counts)] : []), bars(edges, counts, narrowest)],
    ...(highest === 0 ? { graphic: [nothing()] } : {}),
  };
  return { title, description: `Histogram. ${subtitle}.${peak(distribution)}`, width, height, option };
}

/** One bar a bin, as wide as the bin, with its count above where all counts have room; else the highest alone has one. */
function bars(edges: readonly number[], counts: readonly number[], narrowest: number): CustomSeriesOption {
  const gap = narrowest >= 12 ? 2 : narrowest >= 6 ? 1 : 0.5;
  const fits = (text: (value: number) => string) =>
    counts.every((value) => textWidth(text(value), barLabel.fontSize) + 4 <= narrowest);
  const text = [count, shortCount].find(fits);
  const highest = counts.indexOf(counts.reduce((most, value) => Math.max(most, value), 0));
  return {
    type: 'custom',
    silent: true,
    clip: false,
    encode: { x: [0, 1], y: 2 },
    data: counts.map((value, bin) => [edges[bin] ?? 0, edges[bin + 1] ?? 0, value]),
    renderItem: (params, api) => {
      const value = Number(api.value(2));
      if (value === 0) return null;
      const [start = 0, y = 0] = api.coord([api.value(0), value]);
      const [end = 0, base = 0] = api.coord([api.value(1), 0]);
      // Few is not none: a bar is at least a pixel high.
      const tall = Math.max(1, base - y);
      const bar = {
        type: 'rect' as const,
        shape: { x: start + gap / 2, y: base - tall, width: end - start - gap, height: tall },
        style: { fill: barColor },
      };
      const children = narrowest < narrowestBar ? [] : [bar];
      const written = text ?? (params.dataIndex === highest ? count : undefined);
      if (written === undefined) return { type: 'group', children };
      const label = written(value);
      const half = textWidth(label, barLabel.fontSize) / 2;
      const { x: first, width: across } = params.coordSys as unknown as { x: number; width: number };
      const middle = Math.min(Math.max((start + end) / 2, first + half), first + across - half);
      return {
        type: 'group',
        children: [
          ...children,
          {
            type: 'text',
            x: middle,
            y: base - tall - 4,
            style: {
              text: label,
              align: 'center',
              verticalAlign: 'bottom',
              fill: barLabel.color,
              stroke: '#ffffff',
              lineWidth: 3,
              font: `${barLabel.fontSize}px ${barLabel.fontFamily}`,
            },
          },
        ],
      };
    },
  };
}

/** The bars' outline, filled, as one shape: steps from edge to edge. */
function outline(edges: readonly number[], counts: readonly number[]): CustomSeriesOption {
  return {
    type: 'custom',
    silent: true,
    clip: false,
    data: [[0, 0]],
    renderItem: (_, api) => {
      const steps = counts.flatMap((value, bin) => [
        [edges[bin] ?? 0, value],
        [edges[bin + 1] ?? 0, value],
      ]);
      const corners = [[edges[0] ?? 0, 0], ...steps, [edges.at(-1) ?? 1, 0]];
      return {
        type: 'polygon',
        shape: { points: corners.map((corner) => api.coord(corner)) },
        style: { fill: barColor, stroke: barColor, lineWidth: 0.5 },
      };
    },
  };
}

function nothing(): object {
  return {
    type: 'text',
    left: 'center',
    top: 'middle',
    silent: true,
    style: { text: 'No users to show', fill: ink.plain, font: `14px ${labelStyle.fontFamily}` },
  };
}

function summary({ edges, counts, userCount, median, modelName }: Distribution): string {
  const shown = counts.reduce((sum, value) => sum + value, 0);
  const parts = [shown === userCount ? users(userCount) : `${count(shown)} of ${users(userCount)}`];
  if (median !== undefined) parts.push(`median affinity ${share(median)}`);
  else if (shown > 0 && counts.length > 1)
    parts.push(`median affinity between ${range(edges, medianBin(counts, shown))}`);
  if (modelName !== undefined) parts.push(`model ${printable(modelName, 40)}`);
  return parts.join(' · ');
}

function peak({ edges, counts }: Distribution): string {
  const most = counts.reduce((most, value) => Math.max(most, value), 0);
  if (most === 0) return '';
  return ` The largest bin has ${users(most)} with an affinity between ${range(edges, counts.indexOf(most))}.`;
}

/** The bin that the lower of the two users in the middle is in. */
function medianBin(counts: readonly number[], shown: number): number {
  let below = 0;
  return counts.findIndex((value) => (below += value) >= shown / 2);
}

const range = (edges: readonly number[], bin: number) =>
  `${share(edges[bin] ?? 0)} and ${share(edges[bin + 1] ?? 1)}`;

const binWidth = (edges: readonly number[], bin: number) => (edges[bin + 1] ?? 0) - (edges[bin] ?? 0);

/** 1, 2 or 5 times a power of ten, so that about five lines reach the highest bar; users are whole. */
function roundStep(highest: number): number {
  const rough = Math.max(1, highest / 5);
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((times) => times * power >= rough) ?? 10);
}

function check({ edges, counts, userCount }: Distribution): void {
  if (counts.length < 1 || counts.length > maxBins || edges.length !== counts.length + 1) {
    throw new RangeError(`A distribution has 1 to ${maxBins} counts and one edge more`);
  }
  if (!edges.every((edge, index) => edge >= 0 && edge <= 1 && edge > (edges[index - 1] ?? -1))) {
    throw new RangeError('The edges of a distribution ascend, from 0 at the least to 1 at the most');
  }
  if (![...counts, userCount].every((value) => Number.isSafeInteger(value) && value >= 0)) {
    throw new RangeError('The counts of a distribution are whole numbers, 0 or more');
  }
}
