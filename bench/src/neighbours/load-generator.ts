import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command } from './child.ts';

/** A separate process that sends calls, so that its CPU time is not counted as the server's. */
export interface LoadGenerator<Result> extends AsyncDisposable {
  send(command: Command): void;
  /** Rejects if the process exits or the command fails. */
  run(command: Command): Promise<Result>;
}

export function startLoadGenerator<Result>(): LoadGenerator<Result> {
  const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), { serialization: 'advanced' });
  const exited = once(child, 'exit');
  return {
    send: (command) => void child.send(command),
    run: async (command) => {
      const response = once(child, 'message');
      child.send(command);
      const ended = exited.then(() => Promise.reject(new Error('the load generator exited')));
      const [message] = (await Promise.race([response, ended])) as [{ done?: Result; failed?: string }];
      if (message.done === undefined) throw new Error(message.failed);
      return message.done;
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await exited;
    },
  };
}
