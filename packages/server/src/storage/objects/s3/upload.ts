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
import { askS3 } from './exchange.ts';

/**
 * Some stores take 1000 parts (Swift), S3 10,000: with this, an object may have 16 GB anywhere. It is also the memory an
 * upload takes, and what is sent again when a part fails. S3's least is 5 MiB.
 */
const PART_BYTES = 16 * 1024 * 1024;

interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/** What fits into a part is put in one request; S3 shows neither that nor a multipart upload before all of it is there. */
export async function uploadObject(
  client: S3Client,
  place: Place,
  source: ByteSource,
  limits: StepLimits,
): Promise<StoredObject> {
  const blocks = new Blocks(source, PART_BYTES, limits);
  let parts: PartUpload | undefined;
  const putWhole = (block: Buffer) => {
    const command = new PutObjectCommand({ ...place, ...body(block) });
    return askS3(limits, `writing ${place.Key}`, (to) => client.send(command, to));
  };
  try {
    for await (const block of blocks) {
      // Only the last block is smaller.
      if (!parts && block.byteLength < PART_BYTES) {
        await putWhole(block);
      } else {
        parts ??= await beginParts(client, place, limits);
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

async function beginParts(client: S3Client, place: Place, limits: StepLimits) {
  const what = `writing ${place.Key}`;
  const begin = new CreateMultipartUploadCommand(place);
  const { UploadId } = await askS3(limits, what, (to) => client.send(begin, to));
  if (!UploadId) throw new ObjectStoreError('unavailable', `${what}: no upload was begun`);
  const upload = { ...place, UploadId };
  const Parts: { PartNumber: number; ETag: string | undefined }[] = [];

  return {
    async add(block: Buffer): Promise<void> {
      const PartNumber = Parts.length + 1;
      const command = new UploadPartCommand({ ...upload, PartNumber, ...body(block) });
      const { ETag } = await askS3(limits, what, (to) => client.send(command, to));
      Parts.push({ PartNumber, ETag });
    },

    async complete(): Promise<void> {
      const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
      await askS3(limits, what, (to) => client.send(command, to));
    },

    /** Never throws, and by its own time: the error to report is the one before. What stays is seen by nobody, see the decision. */
    async abort(): Promise<void> {
      const command = new AbortMultipartUploadCommand(upload);
      const { stepMs } = limits;
      await askS3({ stepMs }, what, (to) => client.send(command, to)).catch(() => undefined);
    },
  };
}

/** The digest is checked by the store: what was garbled on the way is not kept. */
function body(block: Buffer) {
  return {
    Body: block,
    ContentLength: block.byteLength,
    ContentMD5: createHash('md5').update(block).digest('base64'),
  };
}
