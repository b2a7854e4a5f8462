import type { ServerProcess } from '../stack/server-process.ts';

/** Lets `runInMain` inspect a process, on a port that it chooses. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Runs the expression in the process's main thread; resolves when it is done, or when the process has ended. */
export async function runInMain(server: ServerProcess, expression: string): Promise<void> {
  const [, url] = /Debugger listening on (ws:\S+)/.exec(server.output()) ?? [];
  if (!url) throw new Error('The process has no inspector');
  const socket = new WebSocket(url);
  await new Promise<void>((resolve, reject) => {
    socket.onerror = () => reject(new Error('The inspector cannot be reached'));
    socket.onopen = () => {
      socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
      socket.onmessage = () => resolve();
      // A process that ends closes the connection.
      socket.onerror = () => resolve();
    };
  });
  socket.close();
}
