import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSwift } from '@tastegraph/dev';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openS3Store } from '../../../src/kernel/objects/s3/open.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import { whileHanging } from '../stack/breakable.ts';
import { perFile } from '../stack/stack.ts';
import { bytesOf, summaryOf, text, textOf } from './objects-bytes.ts';
import { openS3Subject, s3OptionsOf } from './objects-subjects.ts';

/** A failing S3: every wait ends within its limit, with `unavailable`. */
const stepMs = 2_500;
// One step, the abort of the upload after it, and a margin for a busy machine.
const maxMs = 2 * stepMs + 15_000;
// More than one part of an upload, and more than the sockets buffer.
const LARGE = 20_000_000;

const everything = (store: ObjectStore) => [
  () => store.put('new.txt', text('x')),
  () => store.put('new.bin', bytesOf(LARGE)),
  () => store.read('old.bin'),
  () => store.delete('old.bin'),
  () => store.list(''),
];

async function expectUnavailable(acts: readonly (() => Promise<unknown>)[]): Promise<void> {
  const started = performance.now();
  const outcomes = await Promise.allSettled(acts.map((act) => act()));
  expect(performance.now() - started).toBeLessThan(maxMs);
  const kinds = outcomes.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as { kind?: unknown }).kind : 'fulfilled',
  );
  expect(kinds).toEqual(acts.map(() => 'unavailable'));
}

describe('a Swift that', () => {
  const swift = perFile(() => startSwift());
  // With a margin for a Swift that was just resumed or started on a busy machine.
  const patient = perFile(() => openS3Subject(swift));
  const store = perFile(async () => openS3Store({ ...s3OptionsOf(swift), stepMs }));
  beforeAll(async () => void (await patient.store.put('old.bin', bytesOf(LARGE))));
  const expectAsBefore = async () => {
    expect((await patient.store.list('')).objects).toMatchObject([{ key: 'old.bin', size: LARGE }]);
    const { bytes } = await patient.store.read('old.bin');
    expect(await summaryOf(bytes)).toEqual(await summaryOf(bytesOf(LARGE)));
  };

  test('hangs makes every call end within its limit, and is used again when it resumes', async () => {
    const { bytes } = await store.read('old.bin');
    const acts = [
      () => store.put('new.bin', bytesOf(LARGE)),
      () => store.read('old.bin'),
      () => store.list(''),
      () => summaryOf(bytes),
    ];
    await whileHanging(swift, () => expectUnavailable(acts));
    await expectAsBefore();
  });

  test('is killed ends calls in flight, refuses the rest, and has only complete objects afterwards', async () => {
    const { bytes } = await store.read('old.bin');
    async function* fatal() {
      yield* bytesOf(LARGE);
      await swift.kill();
      yield* bytesOf(LARGE);
    }
    await expectUnavailable([() => store.put('new.bin', fatal())]);
    await expectUnavailable([() => summaryOf(bytes)]);
    await expectUnavailable(everything(store));
    await swift.restart();
    await expectAsBefore();
    await patient.store.put('new.bin', bytesOf(LARGE));
    await patient.store.delete('new.bin');
  }, 120_000);

  test('waits for a slow reader does not count as hung', async () => {
    const { bytes } = await store.read('old.bin');
    async function* slowly() {
      let isFirst = true;
      for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
        yield chunk;
        if (isFirst) await sleep(1.2 * stepMs);
        isFirst = false;
      }
    }
    expect(await summaryOf(slowly())).toEqual(await summaryOf(bytesOf(LARGE)));
  });
});

describe('an endpoint that', () => {
  let server: Server;
  const sockets = new Set<Socket>();
  const listen = async (answer: (socket: Socket) => void): Promise<ObjectStore> => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      answer(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    return openS3Store({
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket: 'objects',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      pathStyle: true,
      stepMs,
    });
  };
  const answerWith = (head: string) =>
    listen((socket) => socket.once('data', () => socket.write(`HTTP/1.1 ${head}\r\n\r\n`)));
  afterEach(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });

  test('never answers', async () => {
    await using store = await listen(() => undefined);
    await expectUnavailable(everything(store));
  });

  test('hangs up', async () => {
    await using store = await listen((socket) => socket.destroy());
    await expectUnavailable(everything(store));
  });

  test('is overloaded', async () => {
    await using store = await answerWith('503 Slow Down\r\nconnection: close\r\ncontent-length: 0');
    await expectUnavailable(everything(store));
  });

  test('falls silent in the middle of an object, or breaks off', async () => {
    await using silent = await answerWith('200 OK\r\ncontent-length: 100\r\n\r\nhalf');
    const { bytes, size } = await silent.read('old.bin');
    expect(size).toBe(100);
    await expectUnavailable([() => bytes.toArray()]);
    server.close();
    await using broken = await listen((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
    );
    await expectUnavailable([() => textOf(broken, 'old.bin')]);
  });
});
