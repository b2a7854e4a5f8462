/**
 * Where a dataset's records are stored. The key comes from a sequence: after a restore from a backup, another dataset
 * may get a key that this process still remembers. The ID tells them apart.
 */
export interface DatasetLocation {
  readonly id: string;
  readonly key: number;
  readonly partition: number;
  /** The table of the partition. */
  readonly table: string;
}

/** SQL: whether the key still belongs to the dataset with this ID. One primary key lookup per statement. */
export const isSameDataset = (key: string, id: string) =>
  `EXISTS (SELECT FROM datasets same WHERE same.dataset_key = ${key} AND same.dataset_id = ${id})`;
