import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivateService, startPrivateService } from '../processes/private-service.ts';
import { run } from '../processes/run.ts';

export interface SwiftOptions {
  /** On 127.0.0.1. Default: a free port. */
  readonly port?: number;
}

/** OpenStack Swift with its S3 API, without any buckets at first. restart() keeps its data, stop() does not. */
export interface PrivateSwift extends PrivateService {
  /** The S3 endpoint; buckets are in the path. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  /** Random. */
  readonly secretAccessKey: string;
}

// Three seconds on an idle machine, mostly to load Python modules; the limit is for a machine under heavy load.
const START_LIMIT_MS = 60_000;
const STOP_STEPS = [{ signal: 'SIGTERM', limitMs: 10_000 }] as const;
const LOOKUP_LIMIT_MS = 10_000;

const SCRIPT = join(import.meta.dirname, 'serve.py');
// Not the one on the PATH: only Debian's Python finds Debian's packages.
const PYTHON = '/usr/bin/python3';
const REGION = 'us-east-1';
// tempauth's account and user together are the access key of S3.
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
      // Isolated from the user's Python environment.
      args: ['-I', SCRIPT, directory, String(port)],
      // Every user of the machine can see the command line.
      input: JSON.stringify({ account: ACCOUNT, user: USER, secret, region: REGION }),
    }),
    // Swift writes its process ID once it listens.
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
