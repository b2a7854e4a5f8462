/** The user name and password of HTTP Basic authentication (RFC 7617). Undefined for another scheme. */
export function parseBasic(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':', 2);
  return { id, secret };
}
