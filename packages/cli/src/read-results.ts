import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Titles } from './items/read-titles.ts';
import { pluralize } from './terminal/format.ts';
import { histogram } from './terminal/histogram.ts';
import { table } from './terminal/table.ts';

interface Distribution {
  readonly attribute: string;
  readonly value: unknown;
  /** One more element than `counts`. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly user_count: number;
}

/** One histogram per query. */
export function describeDistributions(path: string): string {
  const { distributions } = JSON.parse(readFileSync(path, 'utf8')) as { distributions: Distribution[] };
  return distributions
    .map(({ attribute, value, edges, counts, user_count }) => {
      const bins = counts.map((count, index) => ({
        from: edges[index] ?? 0,
        to: edges[index + 1] ?? 1,
        count,
      }));
      return `Affinity of ${pluralize(user_count, 'user')} for ${attribute} = ${JSON.stringify(value)}:\n${histogram(bins)}`;
    })
    .join('\n\n');
}

interface ListLine {
  readonly conditions?: readonly {
    attribute: string;
    value: unknown;
    lower_bound: number;
    upper_bound: number;
  }[];
  readonly user_count?: number;
  readonly user_id?: string;
  readonly usage?: readonly number[];
}

/** Enough to show what kind of users they are. */
const maxUsers = 10;

/** The number of users per query, and the first of them. The file may have millions of lines, so it is streamed. */
export async function describeUserList(path: string): Promise<string> {
  const parts: string[] = [];
  let users: unknown[][] = [];
  const flush = () => {
    if (users.length > 0) parts.push(table(['user_id', 'affinity'], users));
    users = [];
  };
  for await (const line of readLines<ListLine>(path)) {
    if (line.conditions) {
      flush();
      const conditions = line.conditions.map(
        (one) =>
          `${one.attribute} = ${JSON.stringify(one.value)} from ${one.lower_bound} to ${one.upper_bound}`,
      );
      parts.push(`${pluralize(line.user_count ?? 0, 'user')} with affinity for ${conditions.join(' and ')}`);
    } else if (users.length < maxUsers) users.push([line.user_id, line.usage]);
  }
  flush();
  return parts.join('\n');
}

interface ClusterLine {
  readonly clusters?: number;
  readonly users?: number;
  readonly unassigned?: number;
  readonly cluster_id?: number | null;
  readonly user_id?: string;
  readonly size?: number;
  readonly cohesion?: number;
  readonly items?: readonly { item_id: string }[];
  readonly attributes?: readonly { attribute: string; value: unknown }[];
}

/** Attribute values and items that are shown per cluster. */
const maxTraits = 3;

/** The clusters, largest first. */
export async function describeClusters(
  path: string,
  readTitles: (itemIds: readonly string[]) => Promise<Titles>,
): Promise<string> {
  const clusters: ClusterLine[] = [];
  let head = '';
  for await (const line of readLines<ClusterLine>(path)) {
    if (line.clusters !== undefined)
      head = `${pluralize(line.clusters, 'cluster')} of ${pluralize(line.users ?? 0, 'user')}, ${line.unassigned ?? 0} unassigned`;
    else if (line.user_id === undefined) clusters.push(line);
    // Users follow the clusters, and there may be millions.
    else break;
  }
  const itemsOf = ({ items = [] }: ClusterLine) => items.slice(0, maxTraits).map(({ item_id }) => item_id);
  const titles = await readTitles(clusters.flatMap(itemsOf));
  const rows = clusters.map((line) => [
    line.cluster_id,
    line.size,
    line.cohesion,
    line.attributes?.slice(0, maxTraits).map(({ value }) => String(value)),
    itemsOf(line).map(titles),
  ]);
  return `${head}\n${table(['cluster', 'users', 'cohesion', 'distinctive values', 'distinctive items'], rows)}`;
}

async function* readLines<T>(path: string): AsyncGenerator<T> {
  const input = createReadStream(path);
  try {
    for await (const line of createInterface({ input })) if (line !== '') yield JSON.parse(line) as T;
  } finally {
    input.destroy();
  }
}
