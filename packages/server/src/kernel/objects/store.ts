import type { Readable } from 'node:stream';

/**
 * Storage for large objects that are written once and read whole (or in part, by a download). The
 * two implementations, `folder/` for one machine and `s3/` for several, pass the same test suite
 * (test/integration/kernel/objects-conformance.ts).
 *
 * Every wait for the store ends within `stepMs`, and at once when `signal` fires. Failures are `ObjectStoreError`s; an
 * abort throws the signal's reason, and a failing source throws its own error.
 */
export interface ObjectStore extends AsyncDisposable {
  /**
   * Writes atomically: readers see the previous object until the new one is complete, and keep seeing it if the write
   * fails. (After `unavailable` at the very end, the complete new object may still be stored.) Takes one block of
   * memory, however long the source is. If several writers use one key, the last to finish wins. The caller bounds the
   * time between the source's chunks, with `signal`.
   */
  put(key: string, source: ByteSource, options?: Limits): Promise<StoredObject>;

  /** Throws `absent` before it returns a stream, which emits later failures. Destroy a stream that you do not read to its end. */
  read(key: string, options?: ReadOptions): Promise<ObjectBody>;

  /** In bytes. Throws `absent`. */
  size(key: string, options?: Limits): Promise<number>;

  /** Succeeds if the object does not exist. */
  delete(key: string, options?: Limits): Promise<void>;

  /** One page of the objects whose keys start with the prefix, in byte order of the keys. */
  list(prefix: string, options?: ListOptions): Promise<ObjectPage>;

  /** A URL to download the object for a limited time. Does not check that it exists. If undefined, the API streams the object. */
  presign?(key: string, download: Download): Promise<string>;
}

/** A store with presigned downloads. */
export type PresigningStore = ObjectStore & Required<Pick<ObjectStore, 'presign'>>;

/** Bytes in chunks of any size: a Readable, an async generator, an array of buffers. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface Limits {
  readonly signal?: AbortSignal | undefined;
}

/** What a reader must find. */
export interface StoredObject {
  readonly size: number;
  /** Of the whole object, in hex. */
  readonly sha256: string;
}

type ReadOptions = Limits &
  (
    | {
        /** The result of put(). The stream fails with `damaged` if the bytes differ from it. */
        readonly expect?: StoredObject | undefined;
        readonly range?: undefined;
      }
    // The checksum of a part is unknown.
    | { readonly expect?: undefined; readonly range?: ByteRange | undefined }
  );

/** Both ends inclusive. Reading a range that is not within the object is `refused`. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface ObjectBody {
  /** The number of bytes in the stream. */
  readonly size: number;
  readonly bytes: Readable;
}

export interface ListOptions extends Limits {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  /** Default and maximum: MAX_PAGE. */
  readonly limit?: number;
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** Last modification, by the store's clock. */
  readonly modifiedMs: number;
}

export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

export interface Download {
  /** At most MAX_DOWNLOAD_SECONDS. */
  readonly seconds: number;
  /** The name under which a browser saves the file. */
  readonly fileName: string;
  readonly contentType: string;
  /** The URL works for this method only. Default: GET. */
  readonly method?: 'GET' | 'HEAD';
}

/** The limit of S3. */
export const MAX_PAGE = 1000;

/** The limit of S3: 7 days. */
export const MAX_DOWNLOAD_SECONDS = 7 * 24 * 3600;
