import type { KernelMemory } from '../kernels/kernel-memory.ts';
import { countsToOffsets } from '../lib/arrays.ts';

/** Which user had which item, and how much: by column (item), with users ascending. Rows from `users` on are left out. */
export interface UserItems {
  readonly users: number;
  readonly items: number;
  readonly columnOffsets: Uint32Array;
  readonly columnRow: Uint32Array;
  readonly columnWeight: Float32Array;
  readonly rowDegree: Float64Array;
  readonly degree: Float64Array;
}

/** Addresses of offsets, indices and values. */
type SparseRows = readonly [offsets: number, index: number, value: number];

/** X = D_u^-1/2 R D_i^-1/2 with degrees of at least 1, by user and by item, in kernel memory: 16 bytes per pair. */
export interface NormalisedMatrix {
  readonly users: number;
  readonly items: number;
  readonly byUser: SparseRows;
  readonly byItem: SparseRows;
}

export function normalise(matrix: UserItems, memory: KernelMemory): NormalisedMatrix {
  const { users, items, columnOffsets, columnRow, columnWeight, rowDegree, degree } = matrix;
  const offsets = memory.u32(items + 1);
  const userOffsets = memory.u32(users + 1).fill(0);
  let size = 0;
  for (let item = 0; item < items; item++) {
    offsets[item] = size;
    for (let cell = columnOffsets[item]!; cell < columnOffsets[item + 1]!; cell++) {
      const user = columnRow[cell]!;
      if (user >= users) break;
      userOffsets[user + 1]!++;
      size++;
    }
  }
  offsets[items] = size;
  countsToOffsets(userOffsets);
  const row = memory.u32(size);
  const value = memory.f32(size);
  const ofUser = memory.u32(size);
  const valueOfUser = memory.f32(size);
  const cursor = userOffsets.slice();
  for (let item = 0; item < items; item++) {
    const own = Math.max(1, degree[item]!);
    const first = columnOffsets[item]!;
    for (let place = offsets[item]!; place < offsets[item + 1]!; place++) {
      const cell = first + place - offsets[item]!;
      const user = columnRow[cell]!;
      const normal = columnWeight[cell]! / Math.sqrt(own * Math.max(1, rowDegree[user]!));
      row[place] = user;
      value[place] = normal;
      const to = cursor[user]!++;
      ofUser[to] = item;
      valueOfUser[to] = normal;
    }
  }
  return {
    users,
    items,
    byUser: [userOffsets.byteOffset, ofUser.byteOffset, valueOfUser.byteOffset],
    byItem: [offsets.byteOffset, row.byteOffset, value.byteOffset],
  };
}
