import type { InteractiveMap } from '@tastegraph/charts/interactive';

export interface Strength {
  readonly share: number;
  readonly share_of_all: number;
  readonly lift: number;
}

export interface Cluster {
  readonly cluster_id: number;
  readonly size: number;
  readonly cohesion: number;
  readonly items: readonly ({ readonly item_id: string } & Strength)[];
  readonly attributes: readonly ({
    readonly attribute: string;
    readonly value: string | number | boolean;
  } & Strength)[];
  readonly x: number;
  readonly y: number;
}

/** The file at `map_url`, as docs/reference/results.md describes it. */
export interface ClusterMapFile {
  readonly users: number;
  readonly clusters: readonly Cluster[];
  readonly points: InteractiveMap['points'];
}

export interface Distribution {
  readonly attribute: string;
  readonly value: string | number | boolean;
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly user_count: number;
  readonly message?: string;
}

/** The head of a query in a list of users, and the first users after it. */
export interface ListedQuery {
  readonly user_count: number;
  readonly message?: string;
  readonly users: readonly { readonly user_id: string; readonly usage: readonly number[] }[];
}

/** From this host: a store elsewhere is out of reach for a page. The link itself grants access. */
async function fetchFile(url: string, init: RequestInit): Promise<Response> {
  const { pathname, search } = new URL(url);
  const response = await fetch(`${pathname}${search}&redirect=false`, { ...init, credentials: 'omit' });
  if (!response.ok)
    throw new Error(
      `The file of the result cannot be read (status ${response.status}). Reload the page to get a new link.`,
    );
  return response;
}

export async function readResult<T>(url: string, signal: AbortSignal): Promise<T> {
  return (await (await fetchFile(url, { signal })).json()) as T;
}

/** The queries and users in the first bytes of a list, which may have millions of lines. */
export async function readStart(url: string, bytes: number, signal: AbortSignal): Promise<ListedQuery[]> {
  const response = await fetchFile(url, { signal, headers: { Range: `bytes=0-${bytes - 1}` } });
  const text = await response.text();
  // The last line may be cut off.
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n');
  const queries: { user_count: number; message?: string; users: ListedQuery['users'][number][] }[] = [];
  for (const line of lines) {
    const read = JSON.parse(line) as ListedQuery | ListedQuery['users'][number];
    if ('user_count' in read) queries.push({ ...read, users: [] });
    else queries.at(-1)?.users.push(read);
  }
  return queries;
}
