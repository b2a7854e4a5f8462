import { BlockList, isIP } from 'node:net';

/** Addresses that are not on the public internet: IANA's registries of special addresses (RFC 6890 and later). */
const notPublic = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  notPublic.addSubnet(network, prefix, 'ipv4');

/** The only part of IPv6 that is assigned to the public internet. */
const publicV6 = new BlockList();
publicV6.addSubnet('2000::', 3, 'ipv6');

/** Within that part: documentation, benchmarks, and networks that carry an IPv4 address, which could be private. */
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic.addSubnet(network, prefix, 'ipv6');

/** Whether an IP address must not be reached on behalf of a caller. True for what is not an address. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return notPublic.check(address, 'ipv4');
  if (family === 6) return !publicV6.check(address, 'ipv6') || notPublic.check(address, 'ipv6');
  return true;
}

/** Whether the host of a URL is a private address itself, or a name of this machine. Other names must be resolved. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) return isPrivateAddress(host);
  return host === 'localhost' || host.endsWith('.localhost');
}
