import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { histogram } from './terminal/histogram.ts';
import { counted, table } from './terminal/table.ts';

interface Distribution {
  readonly attribute: string;
  readonly value: unknown;
  /** One more than there are counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly user_count: number;
}

/** A histogram for each query. */
export function describeDistributions(path: string): string {
  const { distributions } = JSON.parse(readFileSync(path, 'utf8')) as { distributions: Distribution[] };
  return distributions
    .map(({ attribute, value, edges, counts, user_count }) => {
      const bins = counts.map((count, place) => ({
        from: edges[place] ?? 0,
        to: edges[place + 1] ?? 1,
        count,
      }));
      return `Usage of ${attribute} = ${JSON.stringify(value)} by ${counted(user_count, 'user')}:\n${histogram(bins)}`;
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

/** As many as show what kind of users they are. */
const shownUsers = 10;

/** How many users match each query, and the first of them. The file may hold millions: it is read line by line. */
export async function describeUserList(path: string): Promise<string> {
  const parts: string[] = [];
  let users: unknown[][] = [];
  const flush = () => {
    if (users.length > 0) parts.push(table(['user_id', 'usage'], users));
    users = [];
  };
  for await (const line of readLines<ListLine>(path)) {
    if (line.conditions) {
      flush();
      const asked = line.conditions.map(
        (one) =>
          `${one.attribute} = ${JSON.stringify(one.value)} from ${one.lower_bound} to ${one.upper_bound}`,
      );
      parts.push(`${counted(line.user_count ?? 0, 'user')} with ${asked.join(' and ')}`);
    } else if (users.length < shownUsers) users.push([line.user_id, line.usage]);
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

/** What sets a group apart, in a few words. */
const shownTraits = 3;

/** The groups, the largest first. */
export async function describeClusters(path: string): Promise<string> {
  const rows: unknown[][] = [];
  let head = '';
  for await (const line of readLines<ClusterLine>(path)) {
    if (line.clusters !== undefined)
      head = `${counted(line.clusters, 'group')} of ${counted(line.users ?? 0, 'user')}, ${line.unassigned ?? 0} unassigned`;
    else if (line.user_id === undefined)
      rows.push([
        ...[line.cluster_id, line.size, line.cohesion],
        line.attributes?.slice(0, shownTraits).map(({ value }) => String(value)),
        line.items?.slice(0, shownTraits).map(({ item_id }) => item_id),
      ]);
    // Users follow the groups, and there may be millions.
    else break;
  }
  return `${head}\n${table(['group', 'users', 'cohesion', 'stands out by', 'items'], rows)}`;
}

async function* readLines<T>(path: string): AsyncGenerator<T> {
  const input = createReadStream(path);
  try {
    for await (const line of createInterface({ input })) if (line !== '') yield JSON.parse(line) as T;
  } finally {
    input.destroy();
  }
}
