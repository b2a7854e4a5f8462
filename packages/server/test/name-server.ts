import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A name server until the test ends. Answers each question for an A or AAAA record with one address of `addressOf`, or with none;
 * null leaves it unanswered. Its address is what `Resolver.setServers` takes.
 */
export async function startNameServer(
  addressOf: (type: 'A' | 'AAAA') => string | undefined | null,
): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    // The question follows the header: the labels of the name, a zero, the type and the class.
    const end = query.indexOf(0, 12) + 5;
    const address = addressOf(query.readUInt16BE(end - 4) === 1 ? 'A' : 'AAAA');
    if (address === null) return;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(address ? 1 : 0, 6);
    header.fill(0, 8);
    socket.send([header, query.subarray(12, end), address ? record(address) : ''], from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

/** A record of the name in the question that may not be kept. */
function record(address: string): Buffer {
  const isV4 = isIPv4(address);
  const bytes = isV4 ? address.split('.').map(Number) : addressBytes(address);
  return Buffer.from([0xc0, 12, 0, isV4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
}

/** Of an IPv6 address without an IPv4 part, with one `::`. */
function addressBytes(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}
