/**
 * How far two groupings of the same users agree: 1 is the same, 0 is what chance gives (Hubert and Arabie, 1985). Users
 * that either leaves out (below 0) are not counted.
 */
export function adjustedRand(one: ArrayLike<number>, other: ArrayLike<number>): number {
  const table = new Map<string, number>();
  const rows = new Map<string, number>();
  const columns = new Map<string, number>();
  let count = 0;
  const add = (to: Map<string, number>, key: string) => to.set(key, (to.get(key) ?? 0) + 1);
  for (let user = 0; user < one.length; user++) {
    if (one[user]! < 0 || other[user]! < 0) continue;
    count++;
    add(table, `${one[user]!} ${other[user]!}`);
    add(rows, `${one[user]!}`);
    add(columns, `${other[user]!}`);
  }
  const pairs = (counts: Map<string, number>) =>
    [...counts.values()].reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
  const expected = (pairs(rows) * pairs(columns)) / ((count * (count - 1)) / 2);
  const most = (pairs(rows) + pairs(columns)) / 2;
  return most === expected ? 1 : (pairs(table) - expected) / (most - expected);
}
