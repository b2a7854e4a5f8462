import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Blocks } from '../blocks.ts';
import { ObjectStoreError } from '../error.ts';
import type { StepLimits } from '../step.ts';
import type { ByteSource, StoredObject } from '../store.ts';
import { callS3 } from './exchange.ts';

/**
 * Some stores (Swift) allow 1000 parts, S3 10,000: with this size, an object may have 16 GB in any store. It is also
 * the memory per upload, and the amount resent when a part fails. S3's minimum is 5 MiB.
 */
const PART_BYTES = 16 * 1024 * 1024;

interface Location {
  readonly Bucket: string;
  readonly Key: string;
}

/** An object that fits into one part is sent in one request. Either way, S3 shows the object only once it is complete. */
export async function uploadObject(
  client: S3Client,
  location: Location,
  source: ByteSource,
  limits: StepLimits,
): Promise<StoredObject> {
  const blocks = new Blocks(source, PART_BYTES, limits);
  let parts: PartUpload | undefined;
  const putWhole = (block: Buffer) => {
    const command = new PutObjectCommand({ ...location, ...body(block) });
    return callS3(limits, `writing ${location.Key}`, (to) => client.send(command, to));
  };
  try {
    for await (const block of blocks) {
      // Only the last block is smaller.
      if (!parts && block.byteLength < PART_BYTES) {
        await putWhole(block);
      } else {
        parts ??= await beginParts(client, location, limits);
        await parts.add(block);
      }
    }
    const stored = blocks.finish();
    if (parts) await parts.complete();
    else if (stored.size === 0) await putWhole(Buffer.alloc(0));
    return stored;
  } catch (error) {
    await parts?.abort();
    throw error;
  }
}

type PartUpload = Awaited<ReturnType<typeof beginParts>>;

async function beginParts(client: S3Client, location: Location, limits: StepLimits) {
  const what = `writing ${location.Key}`;
  const begin = new CreateMultipartUploadCommand(location);
  const { UploadId } = await callS3(limits, what, (to) => client.send(begin, to));
  if (!UploadId) throw new ObjectStoreError('unavailable', `${what}: the response has no upload ID`);
  const upload = { ...location, UploadId };
  const Parts: { PartNumber: number; ETag: string | undefined }[] = [];

  return {
    async add(block: Buffer): Promise<void> {
      const PartNumber = Parts.length + 1;
      const command = new UploadPartCommand({ ...upload, PartNumber, ...body(block) });
      const { ETag } = await callS3(limits, what, (to) => client.send(command, to));
      Parts.push({ PartNumber, ETag });
    },

    async complete(): Promise<void> {
      const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
      await callS3(limits, what, (to) => client.send(command, to));
    },

    /** Never throws: the original error is reported. Has a fresh time limit. Parts may remain: docs/decisions/object-store.md. */
    async abort(): Promise<void> {
      const command = new AbortMultipartUploadCommand(upload);
      const { stepMs } = limits;
      await callS3({ stepMs }, what, (to) => client.send(command, to)).catch(() => undefined);
    },
  };
}

/** The store verifies the digest and rejects data that was corrupted in transit. */
function body(block: Buffer) {
  return {
    Body: block,
    ContentLength: block.byteLength,
    ContentMD5: createHash('md5').update(block).digest('base64'),
  };
}
