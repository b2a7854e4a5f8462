import type { ScatterSeriesOption } from 'echarts/charts';
import { type Shape, unassignedColor } from '../colors.ts';
import { placeLabels } from '../place-labels.ts';
import { placeOnMap } from '../place-on-map.ts';
import { count, printable, share, users } from '../texts.ts';
import { type ChartTheme, type InteractiveChart, tooltip, zoom } from './theme.ts';

interface NamedCluster {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly shape: Shape;
  readonly size: number;
  readonly x: number;
  readonly y: number;
  /** What sets it apart, a line each. */
  readonly notes: readonly string[];
}

export interface InteractiveMap {
  readonly kind: 'map';
  /** Users in all, in a cluster or not. */
  readonly users: number;
  readonly clusters: readonly NamedCluster[];
  /** The ID of the cluster that stands out while it is pointed at. */
  readonly highlighted: number | undefined;
  /** The ID of the cluster that is outlined, because the page shows it in full. */
  readonly selected: number | undefined;
  /** Some of the users: one array per field. */
  readonly points: {
    readonly x: readonly number[];
    readonly y: readonly number[];
    readonly cluster_id: readonly (number | null)[];
  };
}

const side = 600;
/** The name of a cluster fits between two bubbles of average distance. */
const nameLength = 26;
const nameSize = 12;

/** A map that is zoomed and pointed at. Its bubbles are named by the clusters' IDs, so that a page learns which one is pointed at. */
export function interactiveMap(map: InteractiveMap, theme: ChartTheme): InteractiveChart {
  const { clusters, points } = map;
  const placed = placeOnMap(
    clusters,
    points.x.map((x, index) => ({ x, y: points.y[index] ?? 0 })),
    side,
  );
  const dots = Map.groupBy(placed.points, (_, index) => points.cluster_id[index] ?? null);
  const opacity = (id: number | null, usual: number, faint: number) =>
    map.highlighted === undefined || map.highlighted === id ? usual : faint;
  const labels = placeLabels(
    placed.bubbles,
    clusters.map(({ name }) => printable(name, nameLength)),
    nameSize,
  );
  const axis = { type: 'value', min: 0, max: side, show: false };
  return {
    description: describe(map),
    option: {
      animation: false,
      grid: theme.isNarrow
        ? { left: 24, right: 24, top: 24, bottom: 16 }
        : { left: 56, right: 56, top: 32, bottom: 24 },
      xAxis: axis,
      yAxis: axis,
      dataZoom: [zoom('xAxisIndex'), zoom('yAxisIndex')],
      tooltip: tooltip(theme),
      series: [
        scatter(dots.get(null) ?? [], { color: unassignedColor, shape: 'circle' }, opacity(null, 0.55, 0.08)),
        ...clusters.map((cluster) =>
          scatter(dots.get(cluster.id) ?? [], cluster, opacity(cluster.id, 0.55, 0.08)),
        ),
        ...clusters.map((cluster, index) =>
          bubble(map, cluster, placed.bubbles[index], opacity(cluster.id, 0.85, 0.25), theme),
        ),
        // The numbers are enough for a phone, where the list that explains them is below the map.
        ...(theme.isNarrow
          ? []
          : clusters.map((cluster, index) =>
              nameLabel(cluster.name, placed.bubbles[index], labels[index], theme),
            )),
      ],
    },
  };
}

function scatter(
  data: [number, number][],
  { color, shape }: Pick<NamedCluster, 'color' | 'shape'>,
  opacity: number,
): ScatterSeriesOption {
  return { type: 'scatter', data, symbol: shape, symbolSize: 4, silent: true, itemStyle: { color, opacity } };
}

interface Bubble {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

const nowhere: Bubble = { x: 0, y: 0, radius: 0 };

/** The circle of a cluster, with its ID as the number that the page's list has as well. */
function bubble(
  map: InteractiveMap,
  { id, name, color, shape, size, notes }: NamedCluster,
  { x, y, radius }: Bubble = nowhere,
  opacity: number,
  { ink, card, fontFamily, isNarrow }: ChartTheme,
): ScatterSeriesOption {
  const title = printable(name, 60);
  const isSelected = map.selected === id;
  return {
    type: 'scatter',
    name: String(id),
    z: 3,
    data: [{ name: String(id), value: [x, y] }],
    symbol: shape,
    symbolSize: (isNarrow ? 1 : 2) * radius,
    itemStyle: {
      color,
      opacity,
      borderColor: isSelected ? ink : card,
      borderWidth: isSelected ? 3 : 1.5,
    },
    emphasis: { itemStyle: { borderColor: ink, borderWidth: isSelected ? 3 : 2 } },
    label: {
      show: true,
      formatter: () => String(id),
      position: 'inside',
      fontFamily,
      fontSize: isNarrow ? 11 : 13,
      fontWeight: 'bold',
      color: ink,
      textBorderColor: card,
      textBorderWidth: 3,
    },
    tooltip: {
      formatter: () =>
        [
          title,
          `${users(size)}, ${share(size / (map.users || 1))} of all`,
          ...notes.map((note) => printable(note, 60)),
        ].join('\n'),
    },
  };
}

/** Where there is room for it beside its bubble: above, else below, else nowhere. */
function nameLabel(
  name: string,
  { x, y, radius }: Bubble = nowhere,
  position: 'top' | 'bottom' | undefined,
  { ink, card, fontFamily }: ChartTheme,
): ScatterSeriesOption {
  return {
    type: 'scatter',
    silent: true,
    z: 4,
    data: position === undefined ? [] : [[x, y]],
    symbolSize: 2 * radius,
    itemStyle: { color: 'transparent' },
    label: {
      show: true,
      formatter: () => printable(name, nameLength),
      position: position ?? 'top',
      distance: 3,
      fontFamily,
      fontSize: nameSize,
      fontWeight: 'bold',
      color: ink,
      textBorderColor: card,
      textBorderWidth: 3,
    },
    labelLayout: { hideOverlap: true },
  };
}

function describe({ clusters, users: all }: InteractiveMap): string {
  const named = clusters
    .slice(0, 5)
    .map(({ name, size }) => `${printable(name, 60)} with ${users(size)}`)
    .join(', ');
  const rest = clusters.length > 5 ? ` and ${count(clusters.length - 5)} more` : '';
  return `Map of ${users(all)} in ${clusters.length === 1 ? '1 cluster' : `${count(clusters.length)} clusters`}, similar ones close to each other: ${named}${rest}.`;
}
