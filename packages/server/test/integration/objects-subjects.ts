import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CreateBucketCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import type { PrivateSwift } from '@tastegraph/dev';
import { verifyDownload } from '../../src/storage/objects/download.ts';
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

/** With a server that answers downloads as a route of ours will. */
export async function openFolderSubject(): Promise<Subject & { readonly root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const baseUrl = `http://127.0.0.1:${port}/download`;
  const store = await openFolderStore({ root, downloads: { baseUrl, secret: downloadSecret } });
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', baseUrl);
    const part = (name: string) => searchParams.get(name) ?? '';
    const [expires, name, type, signature] = [part('expires'), part('name'), part('type'), part('signature')];
    const key = pathname.slice('/download/'.length);
    const download = verifyDownload({ key, expires, name, type, signature }, downloadSecret);
    if (!download) {
      response.writeHead(403).end();
      return;
    }
    const headers = {
      'content-type': download.contentType,
      'content-disposition': download.contentDisposition,
    };
    void store.read(download.key).then(
      ({ bytes }) => pipeline(bytes, response.writeHead(200, headers)),
      () => response.writeHead(404).end(),
    );
  });
  return {
    store,
    root,
    leftovers: () => readdir(join(root, '.drafts')),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
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
