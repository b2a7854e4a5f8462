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
import { checkDownload, dispositionOf } from '../download.ts';
import { isAbsent, ObjectStoreError } from '../error.ts';
import { checkKey, checkList } from '../keys.ts';
import { checkRange, sizeOf } from '../range.ts';
import type { ObjectStore } from '../store.ts';
import { askS3, explainS3 } from './exchange.ts';
import { uploadObject } from './upload.ts';

export interface S3Options {
  /** Absent: Amazon's. */
  readonly endpoint?: string;
  /** Where downloads reach the store, when that is another address than ours. */
  readonly publicEndpoint?: string;
  readonly region: string;
  /** It must be there: to make one is the operator's decision, and often not ours by permission. */
  readonly bucket: string;
  /** Absent: as Amazon's SDK finds them, for example in the role of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The bucket in the path and not in the host's name: what most stores but Amazon's want. */
  readonly pathStyle: boolean;
  /** See StepLimits. */
  readonly stepMs?: number;
}

/** A part of 16 MiB takes this long at 4.5 Mbit/s. */
const STEP_MS = 30_000;
/** In a data centre it takes a millisecond; two lost packets, three seconds. */
const CONNECT_MS = 4_000;

export function openS3Store(options: S3Options): ObjectStore {
  const { bucket, stepMs = STEP_MS } = options;
  const client = connect(options, options.endpoint);
  const signer = options.publicEndpoint === undefined ? client : connect(options, options.publicEndpoint);
  const placeOf = (key: string) => {
    checkKey(key);
    return { Bucket: bucket, Key: key };
  };

  return {
    async put(key, source, { signal } = {}) {
      return uploadObject(client, placeOf(key), source, { stepMs, signal });
    },

    async read(key, { expect, range, signal } = {}) {
      const limits = { stepMs, signal };
      const what = `reading ${key}`;
      if (range) checkRange(range, Number.MAX_SAFE_INTEGER);
      const part = range ? { Range: `bytes=${range.first}-${range.last}` } : {};
      const command = new GetObjectCommand({ ...placeOf(key), ...part });
      const { Body, ContentLength } = await askS3(limits, what, (to) => client.send(command, to));
      if (!(Body instanceof Readable)) throw new ObjectStoreError('unavailable', `${what}: no bytes came`);
      if (ContentLength === undefined) {
        Body.destroy();
        throw new ObjectStoreError('refused', `${what}: the store gives no length`);
      }
      // S3 answers the part of a range that there is.
      if (range && ContentLength !== sizeOf(range)) {
        Body.destroy();
        throw new ObjectStoreError('refused', `${what}: it has no bytes ${range.first} to ${range.last}`);
      }
      const explain = (error: unknown) => explainS3(error, what);
      return watchBody({ key, size: ContentLength, raw: Body, expect, explain }, limits);
    },

    async size(key, { signal } = {}) {
      const what = `looking at ${key}`;
      const command = new HeadObjectCommand(placeOf(key));
      const { ContentLength } = await askS3({ stepMs, signal }, what, (to) => client.send(command, to));
      if (ContentLength === undefined)
        throw new ObjectStoreError('refused', `${what}: the store gives no length`);
      return ContentLength;
    },

    async delete(key, { signal } = {}) {
      const command = new DeleteObjectCommand(placeOf(key));
      try {
        await askS3({ stepMs, signal }, `deleting ${key}`, (to) => client.send(command, to));
      } catch (error) {
        // S3 itself says 204; some that speak its language say 404.
        if (!isAbsent(error)) throw error;
      }
    },

    async list(prefix, options = {}) {
      const MaxKeys = checkList(prefix, options);
      const { after: StartAfter, signal } = options;
      const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, StartAfter, MaxKeys });
      const page = await askS3({ stepMs, signal }, `listing ${prefix}`, (to) => client.send(command, to));
      const objects = (page.Contents ?? []).map(({ Key = '', Size = 0 }) => ({ key: Key, size: Size }));
      return { objects, next: page.IsTruncated ? objects.at(-1)?.key : undefined };
    },

    async presign(key, download) {
      checkDownload(download);
      const command = new GetObjectCommand({
        ...placeOf(key),
        ResponseContentDisposition: dispositionOf(download.fileName),
        ResponseContentType: download.contentType,
      });
      return askS3({ stepMs }, `signing ${key}`, () =>
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
    // The SDK's newer checksums come as trailers, which most stores but Amazon's do not know. Ours are MD5 on the way and
    // SHA-256 over the whole.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS },
  });
}
