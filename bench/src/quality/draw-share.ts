interface Row {
  readonly share: number;
  readonly shown: number;
  readonly ndcg: number;
}

const width = 640;
const height = 360;
const left = 64;
const right = 24;
const top = 64;
const bottom = 56;
const maxShown = 0.6;
const ink = '#52606d';
const accent = '#2f6f9f';

/** NDCG of known items against the share of new items shown, as an SVG document. */
export function drawShare(rows: readonly Row[]): string {
  const maxNdcg = Math.ceil(Math.max(...rows.map(({ ndcg }) => ndcg)) * 50) / 50;
  const x = (shown: number) => Math.round(left + (shown / maxShown) * (width - left - right));
  const y = (ndcg: number) => Math.round(height - bottom - (ndcg / maxNdcg) * (height - top - bottom));
  const text = (at: readonly [number, number], label: string, anchor = 'middle') =>
    `<text x="${at[0]}" y="${at[1]}" text-anchor="${anchor}" fill="${ink}">${label}</text>`;
  const line = (from: readonly [number, number], to: readonly [number, number]) =>
    `<path d="M${from.join(' ')}L${to.join(' ')}" stroke="#e4e7eb"/>`;
  const ticks = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
  const levels = [0, 0.25, 0.5, 0.75, 1].map((part) => part * maxNdcg);
  const points = rows.map(({ shown, ndcg }) => `${x(shown)} ${y(ndcg)}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="Helvetica, Arial, sans-serif" font-size="12">`,
    '<title>NDCG@10 of known items against the share of new items shown</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${left}" y="28" font-size="16" font-weight="bold" fill="#1f2933">What a share of new items costs (MovieTweetings)</text>`,
    ...levels.map((ndcg) => line([left, y(ndcg)], [width - right, y(ndcg)])),
    ...levels.map((ndcg) => text([left - 8, y(ndcg) + 4], ndcg.toFixed(2), 'end')),
    ...ticks.map((shown) => text([x(shown), height - bottom + 20], `${Math.round(shown * 100)} %`)),
    text([(left + width - right) / 2, height - 12], 'new items shown'),
    text([left, top - 6], 'NDCG@10 of known items', 'start'),
    `<path d="M${points.join('L')}" fill="none" stroke="${accent}" stroke-width="2"/>`,
    ...rows.map(({ shown, ndcg }) => `<circle cx="${x(shown)}" cy="${y(ndcg)}" r="4" fill="${accent}"/>`),
    ...rows.map(({ share, shown, ndcg }) => text([x(shown) + 8, y(ndcg) - 8], String(share), 'start')),
    '</svg>\n',
  ].join('\n');
}
