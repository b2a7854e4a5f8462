import { Worker } from 'node:worker_threads';

/** What the thread returns for a batch. */
export type Encoded = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly error: string };

/** Encodes batches as Parquet, one at a time, in a thread: 10,000 answers of 20 items take 400 ms. Starts the thread when it is needed. */
export class BatchEncoder implements AsyncDisposable {
  #thread: Worker | undefined;

  async encode(text: string): Promise<Uint8Array> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const encoded = await new Promise<Encoded>((resolve, reject) => {
      const end = () => reject(new Error('the thread that encodes the decision log ended'));
      thread.once('exit', end);
      thread.once('message', (message: Encoded) => {
        thread.off('exit', end);
        resolve(message);
      });
      thread.postMessage(text);
    });
    if ('error' in encoded) throw new Error(encoded.error);
    return encoded.bytes;
  }

  #start(): Worker {
    const thread = new Worker(new URL('./encode-thread.ts', import.meta.url));
    // The next batch starts another one.
    const forget = () => {
      this.#thread = undefined;
    };
    thread.once('exit', forget);
    thread.once('error', forget);
    // The process may end while the thread waits for a batch.
    thread.unref();
    return thread;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.terminate();
  }
}
