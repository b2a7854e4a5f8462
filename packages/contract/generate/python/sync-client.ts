/** How the client for threads differs from the one for asyncio, in this order. */
const differences: readonly (readonly [from: string, to: string])[] = [
  [
    '"""The client for asyncio. `_sync_client.py` is generated from it."""',
    '# Generated from _async_client.py (npm run generate); do not edit.\n"""The client for threads."""',
  ],
  [
    '"""A client for one API key, with the methods of `Tastegraph` to be awaited. It caches tokens,\n    and tasks can share it.',
    '"""A client for one API key. It caches tokens, and threads can share it.',
  ],
  [
    'format of the API, which may be asynchronous,\n        or an NDJSON file',
    'format of the API, or an NDJSON file',
  ],
  ['an `async with`', 'a `with`'],
  ['async def ', 'def '],
  ['await ', ''],
  ['__aenter__', '__enter__'],
  ['__aexit__', '__exit__'],
  ['aclose', 'close'],
  ['AsyncDriver', 'SyncDriver'],
  ['Async', ''],
];

/** `_sync_client.py`, from the text of `_async_client.py`. */
export function syncClient(asyncClient: string): string {
  let text = asyncClient;
  for (const [from, to] of differences) {
    if (!text.includes(from)) throw new Error(`_async_client.py does not contain ${JSON.stringify(from)}.`);
    text = text.replaceAll(from, to);
  }
  return text;
}
