import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a service that can be cut and mended: to who goes by it, the service is down meanwhile. */
export interface Breakable extends AsyncDisposable {
  /** The service's address by this way. */
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Is shown every connection before it is used: `from` who goes by the way, `to` the service. */
export type Tap = (from: Socket, to: Socket) => void;

export async function makeBreakable(url: string, tap: Tap = () => undefined): Promise<Breakable> {
  const target = new URL(url);
  const open = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(Number(target.port), target.hostname);
    for (const socket of [from, to]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        from.destroy();
        to.destroy();
        open.delete(socket);
      });
    }
    tap(from, to);
    from.pipe(to).pipe(from);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as { port: number };
  const way = new URL(url);
  way.port = String(port);
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
  return { url: way.href, cut, mend: () => listen(port), [Symbol.asyncDispose]: cut };
}
