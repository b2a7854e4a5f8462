import { connect } from 'node:net';

/** Sends a message and reads until the response is complete. Returns false on any error, or after one second. */
export function probe(
  port: number,
  message: string | Uint8Array,
  isComplete: (response: string) => boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    let response = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(message));
    const finish = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
      if (isComplete(response)) finish(true);
    });
  });
}
