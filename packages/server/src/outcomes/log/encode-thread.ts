import { parentPort } from 'node:worker_threads';
import { encodeBatch } from './encode-batch.ts';
import type { Encoded } from './encoder.ts';

parentPort?.on('message', (text: string) => {
  let encoded: Encoded;
  try {
    encoded = { bytes: encodeBatch(text) };
  } catch (error) {
    encoded = { error: String(error) };
  }
  parentPort?.postMessage(encoded, 'bytes' in encoded ? [encoded.bytes.buffer] : []);
});
