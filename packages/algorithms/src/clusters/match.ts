/**
 * Minimum overlap (users in both over users in either) for a cluster to count as the same cluster. At about a third, a
 * cluster that was cut in half or merged with another keeps its ID. With less overlap, a campaign would no longer reach
 * the people it was meant for.
 */
const sameGroup = 0.3;

export interface MatchInput {
  /** For each current user, the ID of the previous cluster, or 0. */
  readonly previous: Int32Array;
  /** For each current user, the number of the current cluster, or -1. */
  readonly current: Int32Array;
  /** How many clusters there are now. */
  readonly clusters: number;
  /** All IDs ever assigned, in `previous` or not: an ID is never reused for other people. */
  readonly usedIds?: Iterable<number>;
}

/**
 * The IDs of the current clusters. A cluster that consists of the same people as a previous one keeps its ID; others get
 * the smallest ID never used. People who are in no cluster now or were in none before are ignored. Pairs with the largest
 * overlap (users in both over users in either) are matched first, each cluster once.
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
