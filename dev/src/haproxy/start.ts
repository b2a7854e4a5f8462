import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type PrivateService, startPrivateService } from '../processes/private-service.ts';

const deployFolder = resolve(import.meta.dirname, '../../../deploy');
const stopSteps = [{ signal: 'SIGTERM', limitMs: 10_000 }] as const;

/** HAProxy with a configuration of deploy/. `changes` replace texts of it, such as addresses; each must occur. */
export async function startHaproxy(
  configuration: string,
  changes: Readonly<Record<string, string>>,
  port?: number,
): Promise<PrivateService> {
  const temporary = await mkdtemp(join(tmpdir(), 'tastegraph-haproxy-'));
  const [socket, file] = [join(temporary, 'admin.sock'), join(temporary, 'haproxy.cfg')];
  return startPrivateService({
    name: 'HAProxy',
    port,
    logFile: join(temporary, 'haproxy.log'),
    temporary,
    startLimitMs: 30_000,
    stopSteps,
    command: async (front) => {
      const all = { '/run/haproxy/admin.sock': socket, '*:8000': `127.0.0.1:${front}`, ...changes };
      let content = await readFile(join(deployFolder, configuration), 'utf8');
      for (const [from, to] of Object.entries(all)) {
        if (!content.includes(from)) throw new Error(`deploy/${configuration} does not contain ${from}`);
        content = content.replaceAll(from, to);
      }
      await writeFile(file, content);
      return { command: '/usr/sbin/haproxy', args: ['-db', '-f', file] };
    },
    isReady: () =>
      askSocket(socket).then(
        () => true,
        () => false,
      ),
    hint: 'Is it installed? apt install haproxy.',
  });
}

function askSocket(socket: string): Promise<string> {
  const connection = connect(socket);
  connection.end('show info\n');
  return text(connection);
}
