import type { CustomFetch } from 'openid-client';

/** Metadata, keys and tokens have a few kilobytes. */
const maxBytes = 1024 * 1024;

/** `fetch` for openid-client, which reads whole responses: fails instead of filling the memory. */
export const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the identity provider sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, statusText, headers });
};
