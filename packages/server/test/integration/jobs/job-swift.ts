import { type PrivateSwift, startSwift } from '@tastegraph/dev';
import { openS3Subject } from '../kernel/objects-subjects.ts';

/** A Swift for a cell, which a test can stop, and the worker's settings for it. */
export interface CellSwift extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  createBucket(): Promise<void>;
  /** Accepts connections and never responds, until disposed. */
  hang(): Disposable;
}

export async function startSwiftWithBucket(): Promise<CellSwift> {
  const swift = await startCellSwift();
  await swift.createBucket();
  return swift;
}

/** Without a bucket, which an operator would create. */
export async function startCellSwift(): Promise<CellSwift> {
  const swift = await startSwift();
  const query = new URLSearchParams({ region: swift.region, endpoint: swift.url, path_style: 'true' });
  return {
    env: {
      OBJECTS_URL: `s3://objects?${query.toString()}`,
      AWS_ACCESS_KEY_ID: swift.accessKeyId,
      AWS_SECRET_ACCESS_KEY: swift.secretAccessKey,
    },
    createBucket: () => createBucket(swift),
    hang: () => {
      process.kill(swift.pid, 'SIGSTOP');
      return { [Symbol.dispose]: () => process.kill(swift.pid, 'SIGCONT') };
    },
    [Symbol.asyncDispose]: () => swift.stop(),
  };
}

async function createBucket(swift: PrivateSwift): Promise<void> {
  const subject = await openS3Subject(swift);
  await subject[Symbol.asyncDispose]();
}
