/** Letters that may differ for one name to be taken for a slip of another: a third of it. */
const slips = (name: string) => Math.max(1, Math.floor(name.length / 3));

/** What was probably meant by a name that is not among the known ones, the first of equals; undefined when none is close. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = normalised(name);
  const most = slips(wanted);
  let nearest: string | undefined;
  let least = most + 1;
  for (const each of known) {
    const text = normalised(each);
    // Letters that one has more than the other are slips, too: most names are put aside by their length.
    if (Math.abs(text.length - wanted.length) >= least) continue;
    const distance = editDistance(wanted, text);
    if (distance < least) [nearest, least] = [each, distance];
  }
  return nearest;
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
