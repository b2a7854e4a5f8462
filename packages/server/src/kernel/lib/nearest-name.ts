/** A name with at most this many different letters counts as a typo: a third of its length. */
const maxTypos = (name: string) => Math.max(1, Math.floor(name.length / 3));

/** The known name most similar to an unknown one, or undefined if none is close. Among equals, the first. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const target = normalize(name);
  let nearest: string | undefined;
  let bestDistance = maxTypos(target) + 1;
  for (const each of known) {
    const text = normalize(each);
    // The distance is at least the difference in length, which excludes most names cheaply.
    if (Math.abs(text.length - target.length) >= bestDistance) continue;
    const distance = editDistance(target, text);
    if (distance < bestDistance) [nearest, bestDistance] = [each, distance];
  }
  return nearest;
}

/** Names most often differ in case, blanks and dashes. */
const normalize = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Levenshtein distance. Names have at most 100 letters, so at most 10,000 cells are computed. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1];
    for (let column = 0; column < other.length; column++)
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (other[column] === one[index] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
