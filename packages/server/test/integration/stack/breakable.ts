import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Runs `act` while the process is suspended: it accepts connections, and does not respond. */
export async function whileHanging(
  { pid }: { readonly pid: number },
  act: () => Promise<unknown>,
): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await act();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** A proxy to a service that can be cut and restored: while it is cut, the service appears to be down. */
export interface Breakable extends AsyncDisposable {
  /** The service's address through this proxy. */
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
  /**
   * Redirects to another service, as an address that follows a primary does. Breaks open connections, or leaves them
   * with the previous service if `keepOpen`.
   */
  move(url: string, keepOpen?: boolean): void;
}

/** Called with every connection before it is used: `from` the client, `to` the service. */
export type Tap = (from: Socket, to: Socket) => void;

/** `carry` passes on what arrives at both ends. */
export async function makeBreakable(
  url: string,
  tap: Tap = () => undefined,
  carry: Tap = (from, to) => void from.pipe(to).pipe(from),
): Promise<Breakable> {
  let target = new URL(url);
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
    carry(from, to);
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
  const move = (to: string, keepOpen = false) => {
    target = new URL(to);
    if (!keepOpen) for (const socket of open) socket.destroy();
  };
  return { url: way.href, cut, mend: () => listen(port), move, [Symbol.asyncDispose]: cut };
}
