import type { Request, Response } from '@tastegraph/contract';
import { endpoints, type OperationName } from '@tastegraph/contract/endpoints';
import type { CallOptions } from './operations.ts';

/** Operations with paginated responses. */
export type ListName = {
  [N in OperationName]: Response<N> extends { next_page_token: string | null } ? N : never;
}[OperationName];

export type ListRequest<N extends ListName> = Omit<Request<N>, 'page_token'>;

/** The element type of a list. */
export type Listed<N extends ListName> = Response<N>[Exclude<
  keyof Response<N>,
  'next_page_token' | 'message'
>] extends readonly (infer T)[]
  ? T
  : never;

type FetchPage = (name: ListName, request: object, options?: CallOptions) => Promise<unknown>;

/** Requests each page only when the previous one is used up. */
export async function* listAll<N extends ListName>(
  fetchPage: FetchPage,
  name: N,
  request: object,
  options?: CallOptions,
): AsyncGenerator<Listed<N>, void, undefined> {
  const key = itemsKey(name);
  let page_token: unknown;
  do {
    const pageRequest = page_token === undefined ? request : { ...request, page_token };
    const page = (await fetchPage(name, pageRequest, options)) as Record<string, unknown>;
    yield* page[key] as Listed<N>[];
    page_token = page.next_page_token;
  } while (typeof page_token === 'string');
}

/** The field of the response that has the elements: `event_datasets` for `/list-event-datasets`, `events` for `/list-dataset-events`. */
export function itemsKey(name: ListName): string {
  const [, path] = endpoints[name];
  return path.replace(/^\/list-(dataset-)?/, '').replaceAll('-', '_');
}
