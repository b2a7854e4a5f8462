import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address for the primary, as a proxy with a primary check is in production. */
export interface PrimaryAddress extends AsyncDisposable {
  readonly url: string;
  /** Leads to another server from now on, and closes the connections to the former one. */
  move(url: string): void;
}

export async function startPrimaryAddress(url: string): Promise<PrimaryAddress> {
  let target = new URL(url);
  const open = new Set<Socket>();
  const closeAll = () => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((from) => {
    const to = connect(Number(target.port), target.hostname);
    for (const socket of [from, to]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        from.destroy();
        to.destroy();
      });
    }
    from.pipe(to).pipe(from);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = new URL(url);
  address.port = String((server.address() as AddressInfo).port);
  return {
    url: address.href,
    move(to) {
      target = new URL(to);
      closeAll();
    },
    async [Symbol.asyncDispose]() {
      closeAll();
      server.close();
      await once(server, 'close');
    },
  };
}
