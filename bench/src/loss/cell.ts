import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import {
  type PatroniCluster,
  type PrivateRedis,
  type PrivateSwift,
  startPatroni,
  startRedis,
  startSwift,
} from '@tastegraph/dev';
import pg from 'pg';
import { type Prepared, prepareShop } from '../serve/prepare.ts';
import { Service } from '../service.ts';

const shop = { users: 1000, items: 800, events: 8000 };
const bucket = 'objects';

/** A cell of which any part can be lost: two PostgreSQL nodes, Redis, an object store, and one process per role. */
export interface LossCell extends AsyncDisposable {
  readonly database: PatroniCluster;
  readonly redis: PrivateRedis;
  readonly store: PrivateSwift;
  readonly api: Service;
  readonly serving: Service;
  readonly prepared: Prepared;
  /** Runs a statement on the primary. */
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
}

export async function startCell(): Promise<LossCell> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await startPatroni());
  const redis = stack.use(await startRedis({}));
  const store = stack.use(await startSwift());
  const { accessKeyId, secretAccessKey, region, url: endpoint } = store;
  const credentials = { accessKeyId, secretAccessKey };
  const s3 = new S3Client({ credentials, region, endpoint, forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  s3.destroy();
  const query = new URLSearchParams({ region, endpoint, path_style: 'true' });
  const api = stack.use(
    await Service.start('api', {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      OBJECTS_URL: `s3://${bucket}?${query.toString()}`,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      TRAINING_THREADS: '1',
    }),
  );
  const serving = stack.use(
    await api.startAnother('serving', {
      DATABASE_READ_URL: database.readUrl,
      // Measures what a loss costs, not how fast a busy machine is.
      SERVING_DEADLINE_MS: '2000',
    }),
  );
  stack.use(api.startWorker());
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const prepared = await prepareShop(api, admin, shop);
  await admin.end();
  const owned = stack.move();
  return {
    database,
    redis,
    store,
    api,
    serving,
    prepared,
    async query<Row extends pg.QueryResultRow>(text: string, values: unknown[]) {
      const client = new pg.Client({ connectionString: database.nodeUrls[await database.findPrimary()] });
      await client.connect();
      try {
        return (await client.query<Row>(text, values)).rows;
      } finally {
        await client.end();
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
