import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../command/place.ts';
import { type CommandContext, optionsOrUsage, runCommand } from '../command/run-command.ts';
import { shortPath } from '../command/workspace.ts';
import { EXAMPLE_USAGE, type ExampleOptions, readExampleOptions } from './options.ts';
import { prepareShop, writeSettings } from './prepare-shop.ts';

const run = promisify(execFile);

const options = optionsOrUsage(readExampleOptions, EXAMPLE_USAGE);
if (options) await runCommand((context) => runExample(context, options));

async function runExample(context: CommandContext, { name, port }: ExampleOptions): Promise<void> {
  const settings = await prepareShop(context.signal);
  if (name === 'env') {
    console.log(`wrote ${shortPath(await writeSettings(settings))}`);
    return;
  }
  const folder = join(ROOT, 'examples', name);
  const [command, ...args] =
    name === 'express'
      ? [process.execPath, 'shop.ts']
      : [
          join(await installFlask(folder, context.signal), 'flask'),
          '--app',
          'shop',
          'run',
          '--port',
          String(port),
        ];
  const env = { ...settings, ...process.env, PORT: String(port) };
  const app = spawn(command, args, { cwd: folder, env, stdio: 'inherit' });
  const exited = once(app, 'exit');
  context.closers.add({
    name,
    limitMs: 10_000,
    close: async () => {
      app.kill();
      await exited;
    },
    kill: () => app.kill('SIGKILL'),
  });
  const ended = await Promise.race([context.stopRequested, exited]);
  if (ended) throw new Error(`The shop exited with code ${String(ended[0])}.`);
}

/** Returns the folder of the commands in the virtual environment. Installs again if the requirements have changed. */
async function installFlask(folder: string, signal: AbortSignal): Promise<string> {
  const requirements = join(folder, 'requirements.txt');
  const hash = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12);
  const environment = join(folder, '.venv');
  const complete = join(environment, `installed-${hash}`);
  const commands = join(environment, 'bin');
  if (existsSync(complete)) return commands;
  console.error('Installing Flask in examples/flask/.venv.');
  await run('python3', ['-m', 'venv', '--clear', environment], { signal });
  const args = ['install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  await run(join(commands, 'pip'), args, { signal });
  await writeFile(complete, '');
  return commands;
}
