/** Lists of different lengths as one array, because the rows of a PostgreSQL array all have the same length. */
export interface PackedLists {
  readonly all: string[];
  /** Where each list begins and ends in `all`, as PostgreSQL counts: from 1, and with both ends. */
  readonly firsts: number[];
  readonly lasts: number[];
}

export function packLists(lists: Iterable<readonly string[]>): PackedLists {
  const packed: PackedLists = { all: [], firsts: [], lasts: [] };
  for (const list of lists) {
    packed.firsts.push(packed.all.length + 1);
    packed.all.push(...list);
    packed.lasts.push(packed.all.length);
  }
  return packed;
}
