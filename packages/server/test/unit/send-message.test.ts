import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPrivateAddress, isPrivateHost } from '../../src/kernel/lib/private-address.ts';
import { retryDelay } from '../../src/webhooks/deliver-webhooks.ts';
import { newWebhookSecret, showSecret, signMessage } from '../../src/webhooks/secrets.ts';
import { sendMessage } from '../../src/webhooks/send-message.ts';
import { startNameServer } from '../name-server.ts';
import { startReceiver } from '../receiver.ts';

const options = {
  allowsPrivateAddresses: true,
  timeoutMs: 5000,
  signal: new AbortController().signal,
};
const message = { headers: { 'webhook-id': 'msg_1' }, body: '{"type":"job.ended"}' };

test('a signature is what the library of Standard Webhooks verifies, with the new secret and the previous one', () => {
  const secrets = [newWebhookSecret(), newWebhookSecret()] as const;
  const headers = signMessage({ id: 'msg_1', body: message.body }, secrets, Math.floor(Date.now() / 1000));
  for (const secret of secrets)
    expect(new Webhook(showSecret(secret)).verify(message.body, headers)).toEqual({ type: 'job.ended' });
  const other = new Webhook(showSecret(newWebhookSecret()));
  expect(() => other.verify(message.body, headers)).toThrow();
  expect(() => new Webhook(showSecret(secrets[0])).verify('{}', headers)).toThrow();
});

describe('a message', () => {
  test('is confirmed by any status of 2xx', async () => {
    const { url, received } = await startReceiver();
    expect(await sendMessage(url, message, options)).toEqual({ isConfirmed: true });
    expect(received).toMatchObject([
      { body: message.body, headers: { 'webhook-id': 'msg_1', 'content-type': 'application/json' } },
    ]);
  });

  test.each([
    [500, false],
    [404, false],
    [410, true],
  ])('is not confirmed by status %d', async (status, isGone) => {
    const { url } = await startReceiver((response) => void response.writeHead(status).end());
    expect(await sendMessage(url, message, options)).toMatchObject({
      isConfirmed: false,
      isGone,
      code: 'STATUS',
    });
  });

  test('is not sent where a redirect points to', async () => {
    const target = await startReceiver();
    const { url } = await startReceiver(
      (response) => void response.writeHead(307, { location: target.url }).end(),
    );
    expect(await sendMessage(url, message, options)).toMatchObject({ isConfirmed: false, code: 'STATUS' });
    expect(target.received).toEqual([]);
  });

  test('to a receiver that is down fails', async () => {
    const receiver = await startReceiver();
    await receiver.stop();
    expect(await sendMessage(receiver.url, message, options)).toMatchObject({ code: 'CONNECTION' });
  });

  test.each(['before the response', 'within the response'])(
    'to a receiver that hangs %s times out',
    async (when) => {
      const { url } = await startReceiver((response) => {
        if (when === 'within the response') response.writeHead(200).write('x');
      });
      const outcome = await sendMessage(url, message, { ...options, timeoutMs: 300 });
      expect(outcome).toMatchObject({ isConfirmed: false, code: 'TIMEOUT' });
    },
  );

  test('to a receiver that never stops responding is confirmed by its status, and the connection is closed', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<true>();
    const { url } = await startReceiver((response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      response.on('close', () => resolve(true));
      more();
    });
    expect(await sendMessage(url, message, options)).toEqual({ isConfirmed: true });
    expect(await closed).toBe(true);
  });

  test.each([
    ['promises more than it sends', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nshort'],
    ['sends headers without an end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`],
    ['does not speak HTTP', 'hello\r\n'],
  ])('to a receiver that %s fails', async (_, response) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => void socket.end(response));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    expect(await sendMessage(`http://127.0.0.1:${port}/`, message, options)).toMatchObject({
      isConfirmed: false,
      code: 'CONNECTION',
    });
  });

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', '127.1', '2130706433', 'localhost'])(
    'to %s is refused without a connection',
    async (host) => {
      const { port, received } = await startReceiver();
      const url = `http://${host}:${port}/`;
      expect(await sendMessage(url, message, { ...options, allowsPrivateAddresses: false })).toMatchObject({
        isConfirmed: false,
        code: 'ADDRESS_REFUSED',
      });
      expect(received).toEqual([]);
    },
  );

  test('to a name that does not resolve fails', async () => {
    const outcome = await sendMessage('http://nowhere.invalid/', message, options);
    expect(outcome).toMatchObject({ isConfirmed: false });
  });
});

describe('a name', () => {
  const strict = { ...options, allowsPrivateAddresses: false };

  test('that resolves to a private address is not connected to', async () => {
    const { port, received } = await startReceiver();
    const nameServers = [await startNameServer((type) => (type === 'A' ? '127.0.0.1' : undefined))];
    const outcome = await sendMessage(`http://shop.example:${port}/`, message, { ...strict, nameServers });
    expect(outcome).toMatchObject({ isConfirmed: false, code: 'ADDRESS_REFUSED' });
    expect(received).toEqual([]);
  });

  test('that changes to a private address after it was checked is connected to where it was checked', async () => {
    const { port, received } = await startReceiver();
    const asked: string[] = [];
    // First an address that is public and that nobody has; from then on this machine.
    const nameServers = [
      await startNameServer((type) => {
        asked.push(type);
        if (asked.length <= 2) return type === 'AAAA' ? '3fe0::1' : undefined;
        return type === 'A' ? '127.0.0.1' : undefined;
      }),
    ];
    const send = () =>
      sendMessage(`http://shop.example:${port}/`, message, { ...strict, nameServers, timeoutMs: 500 });
    const first = await send();
    expect(first).toMatchObject({ isConfirmed: false });
    expect(['CONNECTION', 'TIMEOUT']).toContain(first !== 'STOPPED' && !first.isConfirmed && first.code);
    expect(asked.toSorted()).toEqual(['A', 'AAAA']);
    expect(await send()).toMatchObject({ isConfirmed: false, code: 'ADDRESS_REFUSED' });
    expect(received).toEqual([]);
  });

  test('whose name server is silent occupies none of the threads that files and cryptography need', async () => {
    const nameServers = [await startNameServer(() => null)];
    const sent = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      sendMessage(`http://${name}.example/`, message, { ...strict, nameServers, timeoutMs: 500 }),
    );
    await sleep(100);
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
    for (const outcome of await Promise.all(sent)) expect(outcome).toMatchObject({ code: 'TIMEOUT' });
  });
});

test('private addresses are told from public ones', () => {
  const isPrivate = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.53',
    '169.254.169.254',
    '172.31.255.255',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    'fc00::1',
    'fe80::1',
    'ff02::1',
    '2002:a00:1::',
    '2001:db8::1',
    'not an address',
  ];
  expect(isPrivate.filter((address) => !isPrivateAddress(address))).toEqual([]);
  const isPublic = ['1.1.1.1', '100.63.255.255', '172.32.0.1', '2606:4700:4700::1111'];
  expect(isPublic.filter((address) => isPrivateAddress(address))).toEqual([]);
  expect(['localhost', 'x.localhost', '[::1]', '10.0.0.1'].every(isPrivateHost)).toBe(true);
  expect(isPrivateHost('example.com')).toBe(false);
});

test('pauses between attempts grow to hours, and there are at least ten attempts in a day', () => {
  let [seconds, attempts] = [0, 0];
  while (seconds < 24 * 3600) seconds += retryDelay(++attempts, () => 0.5);
  expect(attempts).toBeGreaterThan(10);
  expect(attempts).toBeLessThan(30);
  expect(retryDelay(1, () => 0)).toBeCloseTo(4);
  expect(retryDelay(100, () => 1)).toBeCloseTo(8640);
});
