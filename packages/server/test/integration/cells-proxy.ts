import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';

const configuration = resolve(import.meta.dirname, '../../../../deploy/cells/haproxy.cfg');

/** HAProxy with deploy/cells/haproxy.cfg. */
export interface CellsProxy extends AsyncDisposable {
  /** The map of moved keys, as commands of the socket name it. */
  readonly map: string;
  /** Runs commands, one per line, at the socket of the operator. */
  command(lines: string): Promise<string>;
}

/** `addresses` replace those of the example: `10.0.1.1:8080` and so on. */
export async function startCellsProxy(
  port: number,
  addresses: Readonly<Record<string, string>>,
): Promise<CellsProxy> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tastegraph-cells-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const [map, socket] = [join(folder, 'moved-keys.map'), join(folder, 'admin.sock')];
  const changes = {
    '/etc/haproxy/moved-keys.map': map,
    '/run/haproxy/admin.sock': socket,
    '*:8000': `127.0.0.1:${port}`,
    ...addresses,
  };
  let content = await readFile(configuration, 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    expect(content).toContain(from);
    content = content.replaceAll(from, to);
  }
  await writeFile(map, '');
  await writeFile(join(folder, 'haproxy.cfg'), content);
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const errors = text(child.stderr);
  const ended = once(child, 'exit').catch(() => {
    throw new Error('HAProxy cannot be run. Install it: apt install haproxy.');
  });
  stack.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const command = async (lines: string) => {
    const connection = connect(socket);
    connection.end(`${lines}\n`);
    return text(connection);
  };
  const isUp = () =>
    command('show info').then(
      () => true,
      () => false,
    );
  const isSettled = async () => child.exitCode !== null || (await isUp());
  await Promise.race([ended, vi.waitFor(async () => expect(await isSettled()).toBe(true), 10_000)]);
  if (child.exitCode !== null) throw new Error(`HAProxy did not start. ${await errors}`);
  const owned = stack.move();
  return { map, command, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
