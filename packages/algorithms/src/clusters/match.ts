/**
 * Below this share of the people of both, a group is another group. A third: a group that was cut in two halves, or
 * that another was added to, keeps its id; one that shares less does not reach whom a campaign was meant for.
 */
const sameGroup = 0.3;

export interface MatchInput {
  /** For each user of now, the id of the group before, or 0. */
  readonly previous: Int32Array;
  /** For each user of now, the number of the group now, or -1. */
  readonly current: Int32Array;
  /** How many groups there are now. */
  readonly clusters: number;
  /** Ids that were ever given, those of `previous` or not: none is given to other people. */
  readonly usedIds?: Iterable<number>;
}

/**
 * The ids of the groups of now: that of before where they are the same people, else the smallest that was never used.
 * People who were in no group before, or are in none now, say nothing about it. The pairs with the largest overlap (the
 * part of the people of both who are in both) are matched first, each group once.
 */
export function matchClusters({ previous, current, clusters, usedIds = [] }: MatchInput): number[] {
  const used = new Set(usedIds);
  const rows = new Map<number, Uint32Array>();
  const size = new Uint32Array(clusters);
  for (let user = 0; user < current.length; user++) {
    const id = previous[user]!;
    if (!(id > 0)) continue;
    let row = rows.get(id);
    if (!row) rows.set(id, (row = new Uint32Array(clusters)));
    const now = current[user]!;
    if (now < 0) continue;
    row[now]!++;
    size[now]!++;
  }
  const pairs: { id: number; cluster: number; overlap: number }[] = [];
  for (const [id, row] of rows) {
    used.add(id);
    const people = row.reduce((sum, count) => sum + count, 0);
    for (let cluster = 0; cluster < clusters; cluster++) {
      const both = row[cluster]!;
      const overlap = both / (people + size[cluster]! - both);
      if (overlap >= sameGroup) pairs.push({ id, cluster, overlap });
    }
  }
  pairs.sort((a, b) => b.overlap - a.overlap || a.id - b.id || a.cluster - b.cluster);
  const ids = new Array<number>(clusters).fill(0);
  const kept = new Set<number>();
  for (const { id, cluster } of pairs)
    if (ids[cluster] === 0 && !kept.has(id)) {
      ids[cluster] = id;
      kept.add(id);
    }
  let next = 1;
  return ids.map((id) => {
    if (id > 0) return id;
    while (used.has(next)) next++;
    return next++;
  });
}
