import type { CommitOptionsPartition, Consumer } from '@platformatic/kafka';

/** Offsets by topic, in the order of its partitions. */
type Offsets = ReadonlyMap<string, readonly bigint[]>;

/** Joins the group and commits the ends of topics that it never read: what comes from now on is read, even after a restart. */
export async function skipExisting(consumer: Consumer, topics: readonly string[]): Promise<void> {
  // Only a member can commit while the group has others.
  consumer.topics.trackAll(...topics);
  await consumer.joinGroup();
  // The ends first: if another member commits meanwhile, its offsets count.
  const ends: Offsets = await consumer.listOffsets({ topics: [...topics] });
  const partitions = [...ends].map(([topic, offsets]) => ({ topic, partitions: [...offsets.keys()] }));
  const offsets = findStarts(ends, await consumer.listCommittedOffsets({ topics: partitions }));
  if (offsets.length > 0) await consumer.commit({ offsets });
}

/** A topic with any committed offset is not new to the group: its other partitions may have been added since. */
export function findStarts(ends: Offsets, committed: Offsets): CommitOptionsPartition[] {
  return [...ends]
    .filter(([topic]) => !committed.get(topic)?.some((offset) => offset >= 0n))
    .flatMap(([topic, offsets]) =>
      offsets.map((offset, partition) => ({ topic, partition, offset, leaderEpoch: -1 })),
    );
}
