import type { Request, Response } from '@tastegraph/contract';
import { endpoints, type OperationName } from '@tastegraph/contract/endpoints';
import type { CallOptions } from './operations.ts';

/** Operations that answer page by page. */
export type ListName = {
  [N in OperationName]: Response<N> extends { next_page_token: string | null } ? N : never;
}[OperationName];

export type ListRequest<N extends ListName> = Omit<Request<N>, 'page_token'>;

/** What a list is of: the element of the one array in its answer. */
export type Listed<N extends ListName> = Response<N>[Exclude<
  keyof Response<N>,
  'next_page_token'
>] extends readonly (infer T)[]
  ? T
  : never;

type FetchPage = (name: ListName, request: object, options?: CallOptions) => Promise<unknown>;

/** Page after page, each asked for when the one before is used up. */
export async function* listAll<N extends ListName>(
  fetchPage: FetchPage,
  name: N,
  request: object,
  options?: CallOptions,
): AsyncGenerator<Listed<N>, void, undefined> {
  const key = itemsKey(name);
  let page_token: unknown;
  do {
    const asked = page_token === undefined ? request : { ...request, page_token };
    const page = (await fetchPage(name, asked, options)) as Record<string, unknown>;
    yield* page[key] as Listed<N>[];
    page_token = page.next_page_token;
  } while (typeof page_token === 'string');
}

/** `/list-event-datasets` answers `event_datasets`. */
export function itemsKey(name: ListName): string {
  const [, path] = endpoints[name];
  return path.slice('/list-'.length).replaceAll('-', '_');
}
