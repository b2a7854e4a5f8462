import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { watchBody } from '../body.ts';
import { checkDownload, checkKey, checkList, checkRange, dispositionOf, sizeOf } from '../checks.ts';
import { isAbsent, ObjectStoreError } from '../error.ts';
import type { PresigningStore } from '../store.ts';
import { callS3, explainS3 } from './exchange.ts';
import { uploadObject } from './upload.ts';

export interface S3Options {
  /** Default: Amazon S3. */
  readonly endpoint?: string;
  /** The endpoint for download URLs, if clients reach the store at another address than we do. */
  readonly publicEndpoint?: string;
  readonly region: string;
  /** Must exist: creating it is for the operator to do, and often beyond our permissions. */
  readonly bucket: string;
  /** Default: the AWS SDK's credential chain, for example the machine's role. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Puts the bucket in the path instead of the host name, as most stores other than Amazon's require. */
  readonly pathStyle: boolean;
  /** See StepLimits. */
  readonly stepMs?: number;
}

/** A 16 MiB part takes this long at 4.5 Mbit/s. */
const STEP_MS = 30_000;
/** Connecting takes 1 ms in a data centre, 3 s with two lost packets. */
const CONNECT_MS = 4_000;

export function openS3Store(options: S3Options): PresigningStore {
  const { bucket, stepMs = STEP_MS } = options;
  const client = connect(options, options.endpoint);
  const signer = options.publicEndpoint === undefined ? client : connect(options, options.publicEndpoint);
  const locationOf = (key: string) => {
    checkKey(key);
    return { Bucket: bucket, Key: key };
  };

  return {
    async put(key, source, { signal } = {}) {
      return uploadObject(client, locationOf(key), source, { stepMs, signal });
    },

    async read(key, { expect, range, signal } = {}) {
      const limits = { stepMs, signal };
      const what = `reading ${key}`;
      if (range) checkRange(range, Number.MAX_SAFE_INTEGER);
      const part = range ? { Range: `bytes=${range.first}-${range.last}` } : {};
      const command = new GetObjectCommand({ ...locationOf(key), ...part });
      const { Body, ContentLength } = await callS3(limits, what, (to) => client.send(command, to));
      if (!(Body instanceof Readable))
        throw new ObjectStoreError('unavailable', `${what}: the response has no body`);
      if (ContentLength === undefined) {
        Body.destroy();
        throw new ObjectStoreError('refused', `${what}: the response has no Content-Length`);
      }
      // S3 truncates a range that goes beyond the object.
      if (range && ContentLength !== sizeOf(range)) {
        Body.destroy();
        throw new ObjectStoreError(
          'refused',
          `${what}: bytes ${range.first} to ${range.last} are not within the object`,
        );
      }
      const explain = (error: unknown) => explainS3(error, what);
      return watchBody({ key, size: ContentLength, raw: Body, expect, explain }, limits);
    },

    async size(key, { signal } = {}) {
      const what = `reading the size of ${key}`;
      const command = new HeadObjectCommand(locationOf(key));
      const { ContentLength } = await callS3({ stepMs, signal }, what, (to) => client.send(command, to));
      if (ContentLength === undefined)
        throw new ObjectStoreError('refused', `${what}: the response has no Content-Length`);
      return ContentLength;
    },

    async delete(key, { signal } = {}) {
      const command = new DeleteObjectCommand(locationOf(key));
      try {
        await callS3({ stepMs, signal }, `deleting ${key}`, (to) => client.send(command, to));
      } catch (error) {
        // S3 answers 204 for a missing object; some compatible stores answer 404.
        if (!isAbsent(error)) throw error;
      }
    },

    async list(prefix, options = {}) {
      const MaxKeys = checkList(prefix, options);
      const { after: StartAfter, signal } = options;
      const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, StartAfter, MaxKeys });
      const page = await callS3({ stepMs, signal }, `listing ${prefix}`, (to) => client.send(command, to));
      const objects = (page.Contents ?? []).map(({ Key = '', Size = 0, LastModified }) => ({
        key: Key,
        size: Size,
        // Without a time from the store, treat the object as new.
        modifiedMs: LastModified?.getTime() ?? Date.now(),
      }));
      return { objects, next: page.IsTruncated ? objects.at(-1)?.key : undefined };
    },

    async presign(key, download) {
      checkDownload(download);
      const input = {
        ...locationOf(key),
        ResponseContentDisposition: dispositionOf(download.fileName),
        ResponseContentType: download.contentType,
      };
      const command = download.method === 'HEAD' ? new HeadObjectCommand(input) : new GetObjectCommand(input);
      return callS3({ stepMs }, `signing ${key}`, () =>
        getSignedUrl(signer, command, { expiresIn: download.seconds }),
      );
    },

    [Symbol.asyncDispose]: async () => {
      client.destroy();
      signer.destroy();
    },
  };
}

function connect({ region, credentials, pathStyle }: S3Options, endpoint: string | undefined): S3Client {
  return new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    // Most stores other than Amazon's do not support checksums as trailers. We send MD5 and verify SHA-256 of the whole.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS },
  });
}
