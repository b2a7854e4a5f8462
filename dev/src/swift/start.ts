import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivateService, startPrivateService } from '../processes/private-service.ts';
import { run } from '../processes/run.ts';

export interface SwiftOptions {
  /** Of 127.0.0.1; a free one when absent. */
  readonly port?: number;
}

/** OpenStack Swift, spoken to as S3. It holds no bucket until one is created; restart() keeps what it holds, stop() does not. */
export interface PrivateSwift extends PrivateService {
  /** The S3 endpoint; buckets are in the path. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  /** Random. */
  readonly secretAccessKey: string;
}

// Three seconds on a quiet machine, nearly all of it Python reading modules; this is for one under heavy load.
const START_LIMIT_MS = 60_000;
const STOP_STEPS = [{ signal: 'SIGTERM', limitMs: 10_000 }] as const;
const LOOKUP_LIMIT_MS = 10_000;

const SCRIPT = join(import.meta.dirname, 'serve.py');
// Not the one on the PATH: Debian's packages are seen by Debian's Python only.
const PYTHON = '/usr/bin/python3';
const REGION = 'us-east-1';
// tempauth's users are of an account; together they are what S3 calls the access key.
const ACCOUNT = 'tastegraph';
const USER = 'test';

export async function startSwift(options: SwiftOptions = {}): Promise<PrivateSwift> {
  await findSwift();
  const directory = await mkdtemp(join(tmpdir(), 'tastegraph-swift-'));
  const secret = randomBytes(24).toString('hex');
  const swift = await startPrivateService({
    name: 'Swift',
    port: options.port,
    logFile: join(directory, 'swift.log'),
    temporary: directory,
    startLimitMs: START_LIMIT_MS,
    stopSteps: STOP_STEPS,
    command: async (port) => ({
      command: PYTHON,
      // Isolated: nothing of the user's own Python gets in between.
      args: ['-I', SCRIPT, directory, String(port)],
      // On the command line every user of the machine would see the secret.
      input: JSON.stringify({ account: ACCOUNT, user: USER, secret, region: REGION }),
    }),
    // Once it listens, Swift leaves its process number.
    isReady: async (pid) =>
      (await readFile(join(directory, 'ready'), 'utf8').catch(() => '')) === String(pid),
  });
  return Object.assign(swift, {
    url: `http://127.0.0.1:${swift.port}`,
    region: REGION,
    accessKeyId: `${ACCOUNT}:${USER}`,
    secretAccessKey: secret,
  });
}

async function findSwift(): Promise<void> {
  const isThere = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("swift") is None)';
  if ((await run(PYTHON, ['-I', '-c', isThere], { limitMs: LOOKUP_LIMIT_MS })).ok) return;
  throw new Error(
    'OpenStack Swift was not found. Install it: apt install --no-install-recommends python3-swift (Debian, Ubuntu).',
  );
}
