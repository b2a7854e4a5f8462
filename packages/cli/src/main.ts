#!/usr/bin/env node
import { CliError, InterruptedError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { printError, runCommand } from './run-command.ts';

/** Without a command, print the help. */
const argv = process.argv.length > 2 ? process.argv.slice(2) : ['--help'];
const controller = new AbortController();

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    const interrupted = new InterruptedError(name);
    // The first signal aborts cleanly; a second one exits at once.
    if (controller.signal.aborted) process.exit(interrupted.exitCode);
    controller.abort(interrupted);
  });
}

/** The first error on stdout. A reader that closes the pipe, as `… | head` does, is not an error. */
let stdoutError: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') stdoutError ??= error;
});
// An import must not fail because its messages cannot be written.
process.stderr.on('error', () => undefined);

process.exitCode = await runCommand(argv, controller.signal);

await flush(process.stdout);
if (stdoutError && process.exitCode === exitCodes.ok)
  process.exitCode = printError(
    new CliError(
      `Cannot write the result to stdout: ${stdoutError.message}.`,
      'Check where stdout goes: the disk may be full.',
      exitCodes.failed,
      { code: stdoutError.code ?? 'FAILED' },
    ),
    argv,
  );
await flush(process.stderr);
// A source that is still being read, or a prompt, would keep the process alive.
process.exit();

/** The listeners above receive errors one tick after the write. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => setImmediate(resolve)));
}
