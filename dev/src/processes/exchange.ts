import { connect } from 'node:net';

/** Sends, and reads until `isAnswer` is content; false on any failure, or after a second. */
export function exchange(
  port: number,
  question: string | Uint8Array,
  isAnswer: (answer: string) => boolean,
): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(question));
    const finish = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (isAnswer(answer)) finish(true);
    });
  });
}
