/** As much of `node:zlib` as is used here. */
interface Zlib {
  gzip(
    bytes: Uint8Array,
    options: { level: number },
    done: (error: Error | null, compressed: Uint8Array<ArrayBuffer>) => void,
  ): void;
}

/**
 * Node, Bun and Deno have it. It is asked for rather than imported: a bundle for browsers must name no module of
 * Node.
 */
const { process } = globalThis as {
  process?: { getBuiltinModule?: (name: 'node:zlib') => Zlib | undefined };
};
const zlib = process?.getBuiltinModule?.('node:zlib');

/** A batch of events is 6 % larger than at the level that streams have, and takes a quarter of the time. */
const level = 1;

/** Some runtimes have neither; the service takes plain bodies all the same. */
export const canGzip = zlib !== undefined || 'CompressionStream' in globalThis;

/** Whole, not streamed: a retry sends it again, and not every runtime can stream a request. */
export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (zlib)
    return new Promise((resolve, reject) => {
      zlib.gzip(bytes, { level }, (error, compressed) => (error ? reject(error) : resolve(compressed)));
    });
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
