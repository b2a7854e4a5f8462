import type { ObjectStore, StoredObject } from './store.ts';

/** Reads a whole object, verifies its size and hash, and returns it in memory that can be shared with threads. */
export async function readWhole(
  store: Pick<ObjectStore, 'read'>,
  key: string,
  { size, sha256 }: StoredObject,
  signal?: AbortSignal,
): Promise<Uint8Array<SharedArrayBuffer>> {
  const file = new Uint8Array(new SharedArrayBuffer(size));
  const { bytes } = await store.read(key, { expect: { size, sha256 }, signal });
  let at = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    file.set(chunk, at);
    at += chunk.length;
  }
  return file;
}
