import type { ObjectStore, StoredObject } from './store.ts';

/** All of an object, held against what was written, in memory that other threads can be handed. */
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
