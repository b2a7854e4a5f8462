import type { ObjectStore, StoredObject } from './store.ts';

/** All of an object, held against what was written, in one buffer of its own. */
export async function readWhole(
  store: Pick<ObjectStore, 'read'>,
  key: string,
  { size, sha256 }: StoredObject,
  signal?: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  const file = Buffer.allocUnsafeSlow(size);
  const { bytes } = await store.read(key, { expect: { size, sha256 }, signal });
  let at = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) at += chunk.copy(file, at);
  return file;
}
