import type { Cluster } from './read-result.ts';

type Value = Cluster['attributes'][number];

/** A value as a name: a number or a truth says nothing without its attribute. */
export const nameOfValue = ({ attribute, value }: Pick<Value, 'attribute' | 'value'>): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean'
    ? `${value ? '' : 'not '}${attribute}`
    : `${attribute} ${value.toString()}`;
};

export interface ClusterName {
  readonly name: string;
  /** More of what sets it apart: the titles of items, and a value of another attribute. */
  readonly more: string;
}

const namingValues = 2;
const describingTitles = 2;

/** Names clusters by the strongest values of one attribute, else by items: authors among genres would read like people. Equal names get longer. */
export function nameClusters(
  clusters: readonly Cluster[],
  titleOf: (itemId: string) => string,
): ReadonlyMap<number, ClusterName> {
  const names = new Map<number, ClusterName>();
  const used = new Set<string>();
  for (const { cluster_id, attributes, items } of clusters) {
    const isNaming = ({ attribute }: Value) => attribute === attributes[0]?.attribute;
    const values = attributes.filter(isNaming).map(nameOfValue);
    const others = attributes.filter((one) => !isNaming(one));
    const titles = items.map(({ item_id }) => titleOf(item_id));
    const parts = [...new Set([...values, ...others.map(nameOfValue), ...titles])];
    let length = Math.min(namingValues, values.length === 0 ? parts.length : values.length);
    while (used.has(parts.slice(0, length).join(', ')) && length < parts.length) length++;
    const joined = parts.slice(0, length).join(', ');
    const plain = joined === '' ? 'No clear taste' : joined;
    const name = used.has(plain) ? `${plain} (${cluster_id})` : plain;
    used.add(name);
    const more = [
      ...titles.filter((title) => !name.includes(title)).slice(0, describingTitles),
      ...others.slice(0, 1).map((one) => `${one.attribute} ${String(one.value)}`),
    ];
    names.set(cluster_id, { name, more: more.join(', ') });
  }
  return names;
}
