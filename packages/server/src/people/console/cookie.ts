/** A cookie, as the browser sends it and as we set it. */
export interface Cookie {
  read(header: string | undefined): string | undefined;
  /** The value of `Set-Cookie`. Without a value, the browser removes the cookie. */
  write(value: string | undefined): string;
}

/**
 * Scripts cannot read the cookie, other sites cannot send it (Strict: the console itself is public, so a link to it works
 * without). It has no expiry: the server ends sessions. With https it is sent over https only, and `__Host-` keeps other hosts of
 * the same domain from setting it.
 */
export function createSessionCookie(baseUrl: string): Cookie {
  return createCookie('tastegraph-session', baseUrl, 'Path=/; HttpOnly; SameSite=Strict');
}

/**
 * What a sign-in with the identity provider needs when the browser comes back from there. That is a navigation from another site,
 * with which browsers do not send Strict cookies. The time limit is in the signed value.
 */
export function createSignInCookie(baseUrl: string): Cookie {
  return createCookie('tastegraph-sign-in', baseUrl, 'Path=/; HttpOnly; SameSite=Lax');
}

/** Says whom the browser has signed in before (`device.ts`). It opens nothing, and browsers keep cookies for at most 400 days. */
export function createDeviceCookie(baseUrl: string): Cookie {
  return createCookie('tastegraph-device', baseUrl, 'Path=/; HttpOnly; SameSite=Strict; Max-Age=34560000');
}

function createCookie(name: string, baseUrl: string, attributes: string): Cookie {
  const isSecure = baseUrl.startsWith('https:');
  const fullName = isSecure ? `__Host-${name}` : name;
  const all = isSecure ? `${attributes}; Secure` : attributes;
  return {
    read(header) {
      const found = header?.split(';').find((part) => part.trim().startsWith(`${fullName}=`));
      return found?.slice(found.indexOf('=') + 1).trim();
    },
    write: (value) =>
      value === undefined ? `${fullName}=; ${all}; Max-Age=0` : `${fullName}=${value}; ${all}`,
  };
}
