import { encodeRequest, RawClient } from '../serve/raw-client.ts';
import type { Service } from '../service.ts';

/** Far above every goal. */
const timeoutMs = 5000;

type Item = { readonly item_id: string; readonly title?: string | null };

/** Asks one process for the recommendations of a user, over one connection. */
export async function openRecommender(
  server: Service,
  project_id: string,
): Promise<(user_id: string) => Promise<Item[]>> {
  const path = '/recommend-items-to-user';
  const headers = await server.headersFor(path);
  const client = await RawClient.open(server.port);
  return async (user_id) => {
    const request = { user_id, limit: 20, attributes: ['title'], project_id };
    const { status, body } = await client.call(encodeRequest(path, headers, request));
    if (status !== 200) throw new Error(body);
    return (JSON.parse(body) as { results: { item: Item }[] }).results.map(({ item }) => item);
  };
}

/** How long it takes from now until `isVisible` returns true, in milliseconds. */
export async function timeUntilVisible(isVisible: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await isVisible()))
    if (performance.now() - startedAt > timeoutMs) throw new Error(`not visible within ${timeoutMs} ms`);
  return performance.now() - startedAt;
}
