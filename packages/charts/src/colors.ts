/** Paul Tol's "muted" colours, made to be told apart by the colour-blind; his pale grey is for what has none. */
const palette = [
  '#88ccee',
  '#cc6677',
  '#ddcc77',
  '#117733',
  '#332288',
  '#aa4499',
  '#44aa99',
  '#999933',
  '#882255',
];
/** His "light" colours, for a dark page. */
const lightPalette = ['#77aadd', '#ee8866', '#eedd88', '#ffaabb', '#99ddff', '#44bb99', '#bbcc33', '#aaaa00'];
/** The colours of series, in this order: neighbours are easy to tell apart. */
export const seriesColors = (isDark: boolean): readonly string[] => (isDark ? lightPalette : palette);
export const unassignedColor = '#bbbbbb';

/**
 * Twelve mid-tones of Paul Tol's "bright", "vibrant" and "medium-contrast" colours: seen on white as on a dark page, so that a
 * cluster has the same colour on both. Bubbles are numbered as well: no twelve colours are told apart by everyone.
 */
const clusterColors = [
  '#4477aa',
  '#ee7733',
  '#228833',
  '#ccbb44',
  '#aa3377',
  '#66ccee',
  '#cc3311',
  '#009988',
  '#ee99aa',
  '#997700',
  '#bbcc33',
  '#994455',
];

/** A colour for each place. Nobody tells fifty apart: what has the same lies as far from each other as can be. */
export function chooseColors(places: readonly { x: number; y: number }[]): string[] {
  const chosen: string[] = [];
  for (const { x, y } of places) {
    const nearest = clusterColors.map((color) =>
      chosen.reduce((least, other, index) => {
        const place = places[index];
        if (other !== color || place === undefined) return least;
        return Math.min(least, Math.hypot(place.x - x, place.y - y));
      }, Number.POSITIVE_INFINITY),
    );
    chosen.push(clusterColors[nearest.indexOf(Math.max(...nearest))] ?? unassignedColor);
  }
  return chosen;
}

/** The marks of clusters that have the same colour, by the names that ECharts has for them. */
const shapes = ['circle', 'rect', 'triangle', 'diamond'] as const;
export type Shape = (typeof shapes)[number];

/** A shape for each colour: the second cluster of a colour is a square, the third a triangle. */
export const chooseShapes = (colors: readonly string[]): Shape[] =>
  colors.map((color, index) => {
    const before = colors.slice(0, index).filter((other) => other === color).length;
    return shapes[before % shapes.length] ?? 'circle';
  });
