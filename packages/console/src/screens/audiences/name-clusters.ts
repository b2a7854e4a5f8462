import type { Cluster } from './read-result.ts';

type Value = Cluster['attributes'][number];

/** A value as a name: a number or a truth says nothing without its attribute. */
export const nameOfValue = ({ attribute, value }: Pick<Value, 'attribute' | 'value'>): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean'
    ? `${value ? '' : 'not '}${attribute}`
    : `${attribute} ${value.toString()}`;
};

/** Names clusters by the values that set them apart, else by items; more of them where two would be called the same. */
export function nameClusters(
  clusters: readonly Cluster[],
  titleOf: (itemId: string) => string,
): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  const used = new Set<string>();
  for (const { cluster_id, attributes, items } of clusters) {
    const values = [...new Set(attributes.map(nameOfValue))];
    const titles = items.map(({ item_id }) => titleOf(item_id));
    const parts = [...values, ...titles];
    let length = 2;
    while (used.has(parts.slice(0, length).join(', ')) && length < parts.length) length++;
    const joined = parts.slice(0, length).join(', ');
    const plain = joined === '' ? 'No clear taste' : joined;
    const name = used.has(plain) ? `${plain} (${cluster_id})` : plain;
    used.add(name);
    names.set(cluster_id, name);
  }
  return names;
}
