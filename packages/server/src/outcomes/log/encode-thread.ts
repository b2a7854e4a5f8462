import { parentPort } from 'node:worker_threads';
import type { Encoded } from './decision-log.ts';
import { encodeBatch } from './encode-batch.ts';

parentPort?.on('message', (text: string) => {
  let encoded: Encoded;
  try {
    encoded = { bytes: encodeBatch(text) };
  } catch (error) {
    encoded = { error: String(error) };
  }
  parentPort?.postMessage(encoded, 'bytes' in encoded ? [encoded.bytes.buffer] : []);
});
