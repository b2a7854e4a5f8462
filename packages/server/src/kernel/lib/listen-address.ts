/** The address on which a process listens by default. */
export const defaultHost = '127.0.0.1';
export const defaultPort = 8080;

/** The URL of a process on the same machine. One that listens on all addresses is reached at the loopback address. */
export function localOrigin(host: string, port: number | string): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
