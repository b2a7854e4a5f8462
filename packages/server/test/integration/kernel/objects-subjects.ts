import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import type { PrivateSwift } from '@tastegraph/dev';
import { openFolderStore } from '../../../src/kernel/objects/folder/open.ts';
import { openS3Store, type S3Options } from '../../../src/kernel/objects/s3/open.ts';
import type { ObjectStore, PresigningStore } from '../../../src/kernel/objects/store.ts';

/** A store under test, and access to what its interface does not show. */
export interface Subject extends AsyncDisposable {
  readonly store: ObjectStore;
  /** What unfinished writes have left behind. */
  readonly leftovers: () => Promise<readonly string[]>;
}

export interface PresigningSubject extends Subject {
  readonly store: PresigningStore;
}

export async function openFolderSubject(): Promise<Subject & { readonly root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
  const store = await openFolderStore({ root });
  return {
    store,
    root,
    leftovers: () => readdir(join(root, '.drafts')),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

export function s3OptionsOf(swift: PrivateSwift): S3Options {
  const { accessKeyId, secretAccessKey } = swift;
  return {
    endpoint: swift.url,
    region: swift.region,
    bucket: 'objects',
    credentials: { accessKeyId, secretAccessKey },
    pathStyle: true,
  };
}

/** Creates the bucket, as an operator would. */
export async function openS3Subject(swift: PrivateSwift): Promise<PresigningSubject> {
  const options = s3OptionsOf(swift);
  const client = new S3Client({
    endpoint: swift.url,
    region: swift.region,
    credentials: { accessKeyId: swift.accessKeyId, secretAccessKey: swift.secretAccessKey },
    forcePathStyle: true,
  });
  await client.send(new CreateBucketCommand({ Bucket: options.bucket }));
  const store = openS3Store(options);
  return {
    store,
    leftovers: async () => {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }));
      return Uploads.map(({ Key = '' }) => Key);
    },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      client.destroy();
    },
  };
}
