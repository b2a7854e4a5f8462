import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { downloadsPath } from '@tastegraph/contract';
import { findFreePort, type PrivateSwift } from '@tastegraph/dev';
import fastify from 'fastify';
import { serveDownloads } from '../../src/http/downloads.ts';
import { answerErrors } from '../../src/http/errors.ts';
import { openFolderStore } from '../../src/storage/objects/folder/open.ts';
import { openS3Store, type S3Options } from '../../src/storage/objects/s3/open.ts';
import type { ObjectStore } from '../../src/storage/objects/store.ts';

/** A store under test, and what its interface does not show. */
export interface Subject extends AsyncDisposable {
  readonly store: ObjectStore;
  /** What unfinished writes left behind. */
  readonly leftovers: () => Promise<readonly string[]>;
}

export const downloadSecret = 'a secret of the tests, longer than 32 characters';

/** With the route that answers its downloads. */
export async function openFolderSubject(): Promise<Subject & { readonly root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
  const port = await findFreePort();
  const baseUrl = `http://127.0.0.1:${port}${downloadsPath}`;
  const store = await openFolderStore({ root, downloads: { baseUrl, secret: downloadSecret } });
  const server = fastify({ forceCloseConnections: true });
  answerErrors(server);
  serveDownloads(server, store);
  await server.listen({ port });
  return {
    store,
    root,
    leftovers: () => readdir(join(root, '.drafts')),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await rm(root, { recursive: true });
    },
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

/** With a bucket, which is the operator's to make. */
export async function openS3Subject(swift: PrivateSwift): Promise<Subject> {
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
