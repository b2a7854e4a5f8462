import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PrivateKafka } from './start.ts';

/** `tastegraph consume` as a process. */
export interface ConsumerProcess extends AsyncDisposable {
  /** Its stdout and stderr so far. */
  output(): string;
  hasExited(): boolean;
  /** Its exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

interface ConsumerOptions {
  readonly baseUrl: string;
  readonly writeKey: string;
  /** The rest of the options of the command. */
  readonly args: readonly string[];
}

const COMMAND = join(import.meta.dirname, '../../../packages/cli/tastegraph');

export function startConsumer(
  { broker, username, password }: PrivateKafka,
  { baseUrl, writeKey, args }: ConsumerOptions,
): ConsumerProcess {
  const child = spawn(COMMAND, ['consume', '--brokers', broker, '--sasl', 'PLAIN', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      TASTEGRAPH_URL: baseUrl,
      TASTEGRAPH_WRITE_KEY: writeKey,
      KAFKA_USERNAME: username,
      KAFKA_PASSWORD: password,
    },
  });
  const output = collect(child);
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals) => {
    if (!hasExited()) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return child.exitCode ?? child.signalCode;
  };
  return {
    output,
    hasExited,
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-100_000);
    });
  return () => text;
}
