import type { Readable } from 'node:stream';

/**
 * Where models and results are kept: large, written once, read whole or, by a download, in part. Two implementations, `folder/` for one
 * machine and `s3/` for many, are held to one suite (test/integration/objects-conformance.ts).
 *
 * Every wait for the store ends within the time it was opened with (`stepMs`), and with `signal` at once. What goes wrong is an
 * `ObjectStoreError`; an abort throws the signal's reason, and a source that throws, what it threw.
 */
export interface ObjectStore extends AsyncDisposable {
  /**
   * Writes the object whole or not at all: readers see what was there before until all of it is there, and if it throws they go
   * on seeing that. (A store that falls silent at the very end may have it all the same, whole: `unavailable` leaves that open.)
   * Takes no more memory than a block, however long the source. Of writers of one key, the last to finish wins.
   * How long the source takes between its chunks is the caller's to bound, by `signal`.
   */
  put(key: string, source: ByteSource, options?: Limits): Promise<StoredObject>;

  /** Throws `absent` before there is a stream; what fails later, the stream emits. Destroy a stream not read to its end. */
  read(key: string, options?: ReadOptions): Promise<ObjectBody>;

  /** In bytes. Throws `absent`. */
  size(key: string, options?: Limits): Promise<number>;

  /** It is well if there is no such object. */
  delete(key: string, options?: Limits): Promise<void>;

  /** The objects whose key starts with the prefix, a page, in the order of their keys' bytes. */
  list(prefix: string, options?: ListOptions): Promise<ObjectPage>;

  /** An address by which anyone who has it can download the object, for a time. Whether the object is there is not asked. */
  presign(key: string, download: Download): Promise<string>;

  /** What an address that presign() made stands for; undefined when it is none, or over. Absent: the store answers its own. */
  readonly verify?: (parts: DownloadParts) => VerifiedDownload | undefined;
}

/** Bytes in chunks of any size: a Readable, an async generator, an array of buffers. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface Limits {
  readonly signal?: AbortSignal | undefined;
}

/** What a reader must find again. */
export interface StoredObject {
  readonly size: number;
  /** Of all bytes, in hex. */
  readonly sha256: string;
}

type ReadOptions = Limits &
  (
    | {
        /** What put() said of the object: the stream then ends with the error `damaged` unless that is what was read. */
        readonly expect?: StoredObject | undefined;
        readonly range?: undefined;
      }
    // Of a part nobody knows the checksum.
    | { readonly expect?: undefined; readonly range?: ByteRange | undefined }
  );

/** From the first to the last, both included. It must lie within the object: else reading it is `refused`. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface ObjectBody {
  /** How many bytes will come. */
  readonly size: number;
  readonly bytes: Readable;
}

export interface ListOptions extends Limits {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most, and by default, MAX_PAGE. */
  readonly limit?: number;
}

export interface ObjectPage {
  readonly objects: readonly { readonly key: string; readonly size: number }[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

export interface Download {
  /** At most MAX_DOWNLOAD_SECONDS. */
  readonly seconds: number;
  /** What a browser saves it as. */
  readonly fileName: string;
  readonly contentType: string;
}

/** What a signed address carries: the key in its path, the rest in its query. */
export interface DownloadParts {
  readonly key: string;
  /** In seconds since 1970; as text, as the rest. */
  readonly expires: string;
  readonly name: string;
  readonly type: string;
  readonly signature: string;
}

/** What to answer to a download that was verified. */
export interface VerifiedDownload {
  readonly key: string;
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** S3's own most. */
export const MAX_PAGE = 1000;

/** S3's own most: seven days. */
export const MAX_DOWNLOAD_SECONDS = 7 * 24 * 3600;
