/** The cookie of a session, as the browser sends it and as we set it. */
export interface SessionCookie {
  read(header: string | undefined): string | undefined;
  /** The value of `Set-Cookie`. Without a token, the browser removes the cookie. */
  write(token: string | undefined): string;
}

/**
 * Scripts cannot read the cookie, other sites cannot send it (Strict: the console itself is public, so a link to it works
 * without). It has no expiry: the server ends sessions. With https it is sent over https only, and `__Host-` keeps other hosts of
 * the same domain from setting it.
 */
export function createSessionCookie(baseUrl: string): SessionCookie {
  return createCookie('tastegraph-session', baseUrl, 'Path=/; HttpOnly; SameSite=Strict');
}

function createCookie(name: string, baseUrl: string, attributes: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  const fullName = isSecure ? `__Host-${name}` : name;
  const all = isSecure ? `${attributes}; Secure` : attributes;
  return {
    read(header) {
      const found = header?.split(';').find((part) => part.trim().startsWith(`${fullName}=`));
      return found?.slice(found.indexOf('=') + 1).trim();
    },
    write: (token) =>
      token === undefined ? `${fullName}=; ${all}; Max-Age=0` : `${fullName}=${token}; ${all}`,
  };
}
