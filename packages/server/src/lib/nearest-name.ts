/** Letters that may differ for one name to be taken for a slip of another: a third of it. */
const slips = (name: string) => Math.max(1, Math.floor(name.length / 3));

/** What was probably meant by a name that is not among the known ones; undefined when none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = normalised(name);
  const [nearest] = known
    .map((each) => ({ each, distance: editDistance(wanted, normalised(each)) }))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest && nearest.distance <= slips(wanted) ? nearest.each : undefined;
}

/** Upper and lower case, blanks and dashes are what names most often differ in. */
const normalised = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Levenshtein's: letters put in, left out or changed. Names are at most 100 letters: a table of 10,000. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1];
    for (let place = 0; place < other.length; place++)
      next.push(
        Math.min(
          (next[place] ?? 0) + 1,
          (row[place + 1] ?? 0) + 1,
          (row[place] ?? 0) + (other[place] === one[index] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
