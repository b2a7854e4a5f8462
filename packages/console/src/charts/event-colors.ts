/** Okabe and Ito's colours, which people with any kind of colour vision can tell apart; blue is lighter, to be seen on a dark page. */
const palette = ['#3b8ec9', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8a7f00'];

/** The target has the first colour; other types take theirs in alphabetical order, so that all screens agree. */
export function eventColors(target: string, types: readonly string[]): ReadonlyMap<string, string> {
  const others = [...new Set(types)].filter((type) => type !== target).sort();
  const ordered = [target, ...others];
  return new Map(ordered.map((type, index) => [type, palette[index % palette.length] ?? '#3b8ec9']));
}
