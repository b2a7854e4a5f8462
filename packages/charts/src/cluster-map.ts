import type { CustomSeriesOption, ScatterSeriesOption } from 'echarts/charts';
import { baseOption, type Chart, fontFamily, ink, margin } from './chart.ts';
import { chooseColors, unassignedColor } from './colors.ts';
import { placeOnMap } from './place-on-map.ts';
import { count, printable, users } from './texts.ts';

export interface MapCluster {
  /** The name of the cluster in the result: what is written into its bubble. Short. */
  readonly id: string | number;
  /** Users in the cluster; the bubble's area is in proportion. */
  readonly size: number;
  readonly x: number;
  readonly y: number;
  /** How far the cluster reaches, in the units of `x` and `y`: drawn as a faint circle. */
  readonly radius?: number;
  /** What sets the cluster apart: its items and values. */
  readonly label: string;
}

export interface MapPoint {
  readonly x: number;
  readonly y: number;
  /** The id of the point's cluster; null if it belongs to none. */
  readonly cluster: string | number | null;
}

/** Clusters of users on a plane where alike is near. */
export interface ClusterMap {
  readonly title: string;
  readonly clusters: readonly MapCluster[];
  /** Some of the users, to show how the clusters spread. At most 10,000 are drawn, evenly picked. */
  readonly points: readonly MapPoint[];
}

/** 25 bytes of SVG each: a quarter of a megabyte, and more would be one blot. */
const maxPoints = 10_000;
/** The largest are drawn and named; more could not be told apart, by colour or by place. */
const maxClusters = 100;

const side = 600;
const top = 84;
const rowHeight = 22;
const rowsInColumn = Math.floor(side / rowHeight);
const columnWidth = 330;

/** A map of clusters: one numbered bubble per cluster, as in the list beside the map, over some of the users. */
export function clusterMap(map: ClusterMap): Chart {
  const bySize = [...map.clusters].sort((a, b) => b.size - a.size);
  const clusters = bySize.slice(0, maxClusters);
  const every = Math.max(1, Math.ceil(map.points.length / maxPoints));
  const points = map.points.filter((_, index) => index % every === 0);
  const placed = placeOnMap(clusters, points, side);
  const colors = chooseColors(placed.bubbles);

  const title = printable(map.title, 80);
  const subtitle = summary(map, clusters.length);
  const columns = Math.max(1, Math.ceil(clusters.length / rowsInColumn));
  const left = margin;
  const width = left + side + margin + columns * columnWidth;
  const height = top + side + margin;
  const axis = { type: 'value', min: 0, max: side, show: false };
  const dots = new Map<string | number | null, [number, number][]>();
  const known = new Set<string | number | null>(clusters.map(({ id }) => id));
  for (const [index, { cluster }] of points.entries()) {
    const key = known.has(cluster) ? cluster : null;
    const place = placed.points[index];
    if (place === undefined || place.some((pixel) => pixel < 0 || pixel > side)) continue;
    const group = dots.get(key);
    if (group) group.push(place);
    else dots.set(key, [place]);
  }
  const option = {
    ...baseOption(title, subtitle),
    grid: { left, top, width: side, height: side, outerBoundsMode: 'none' },
    xAxis: axis,
    yAxis: axis,
    series: [
      scatter(dots.get(null) ?? [], unassignedColor),
      ...clusters.map(({ id }, index) => scatter(dots.get(id) ?? [], colors[index] ?? unassignedColor)),
      reaches(placed.bubbles, colors),
      bubbles(clusters, placed.bubbles, colors),
    ],
    graphic: clusters.flatMap((cluster, index) => row(cluster, index, colors[index] ?? unassignedColor)),
  };
  const named = clusters.slice(0, 5).map((cluster) => `${name(cluster)}: ${label(cluster)}`);
  const description = `Map of clusters. ${[subtitle, ...named].join('. ')}.`;
  return { title, description, width, height, option };
}

/** All users of one cluster in one shape: a dot is a line without length and with round ends. */
function scatter(places: readonly [number, number][], color: string): CustomSeriesOption {
  return {
    type: 'custom',
    silent: true,
    clip: false,
    data: places.length === 0 ? [] : [[0, 0]],
    renderItem: (_, api) => ({
      type: 'path',
      shape: {
        pathData: places
          .map((place) => api.coord(place).map((pixel) => pixel.toFixed(1)))
          .map(([x, y]) => `M${x} ${y}l.01 0`)
          .join(''),
      },
      style: { fill: 'none', stroke: color, lineWidth: 3, lineCap: 'round', opacity: 0.45 },
    }),
  };
}

type Bubble = ReturnType<typeof placeOnMap>['bubbles'][number];

function reaches(places: readonly Bubble[], colors: readonly string[]): ScatterSeriesOption {
  return {
    type: 'scatter',
    silent: true,
    clip: false,
    data: places.flatMap(({ x, y, reach }, index) => {
      const color = colors[index] ?? unassignedColor;
      const itemStyle = { color: 'none', borderColor: color, borderWidth: 1, borderType: 'dashed' as const };
      return reach > 0 ? [{ value: [x, y], symbolSize: 2 * reach, itemStyle }] : [];
    }),
  };
}

function bubbles(
  clusters: readonly MapCluster[],
  places: readonly Bubble[],
  colors: readonly string[],
): ScatterSeriesOption {
  return {
    type: 'scatter',
    silent: true,
    clip: false,
    // The largest come first, so that the small lie on top.
    data: places.map(({ x, y, radius }, index) => ({
      name: clusters[index] ? name(clusters[index]) : '',
      value: [x, y],
      symbolSize: 2 * radius,
      itemStyle: {
        color: colors[index] ?? unassignedColor,
        opacity: 0.75,
        borderColor: '#ffffff',
        borderWidth: 1.5,
      },
    })),
    label: {
      show: true,
      formatter: ({ name }) => name,
      fontFamily,
      fontSize: 12,
      fontWeight: 'bold',
      color: ink.strong,
      textBorderColor: '#ffffff',
      textBorderWidth: 3,
    },
  };
}

/** A line of the list: the bubble's colour and number, what distinguishes the cluster, and its number of users. */
function row(cluster: MapCluster, index: number, color: string): object[] {
  const x = margin + side + margin + Math.floor(index / rowsInColumn) * columnWidth;
  const y = top + (index % rowsInColumn) * rowHeight + rowHeight / 2;
  const text = (at: number, words: string, align: string, fill: string, weight = 'normal') => ({
    type: 'text',
    silent: true,
    x: at,
    y,
    style: { text: words, align, verticalAlign: 'middle', fill, font: `${weight} 12px ${fontFamily}` },
  });
  return [
    { type: 'circle', silent: true, shape: { cx: x + 6, cy: y, r: 6 }, style: { fill: color, opacity: 0.8 } },
    text(x + 40, name(cluster), 'right', ink.strong, 'bold'),
    text(x + 48, label(cluster), 'left', ink.strong),
    text(x + columnWidth - margin, count(cluster.size), 'right', ink.plain),
  ];
}

const name = ({ id }: MapCluster): string => printable(String(id), 4);
const label = (cluster: MapCluster): string => printable(cluster.label, 34);

function summary({ clusters, points }: ClusterMap, drawn: number): string {
  const size = clusters.reduce((sum, cluster) => sum + cluster.size, 0);
  const parts = [
    `${users(size)} in ${clusters.length === 1 ? '1 cluster' : `${count(clusters.length)} clusters`}`,
  ];
  if (drawn < clusters.length) parts.push(`the largest ${drawn} are drawn`);
  if (clusters.length > 0) parts.push('the larger a bubble, the more users');
  if (points.some(({ cluster }) => cluster === null)) parts.push('gray: in no cluster');
  return parts.join(' · ');
}
