import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isPrivateHost } from '../kernel/lib/private-address.ts';
import { AddressRefusedError, publicLookup } from './public-lookup.ts';

export type SendOutcome =
  /** The signal was aborted before the receiver answered. It says nothing about the receiver, which may have the message. */
  | 'STOPPED'
  | { readonly isConfirmed: true }
  | {
      readonly isConfirmed: false;
      readonly isGone: boolean;
      readonly code: string;
      readonly message: string;
    };

export interface SendOptions {
  readonly allowsPrivateAddresses: boolean;
  /** From the resolution of the name to the end of the response. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Those of the machine by default. */
  readonly nameServers?: readonly string[];
}

/** A receiver has nothing to tell: a longer response is cut off. */
const maxResponseBytes = 16 * 1024;

/** Sends one message over a new connection. Does not follow redirects. Never throws. */
export async function sendMessage(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  { allowsPrivateAddresses, timeoutMs, signal, nameServers }: SendOptions,
): Promise<SendOutcome> {
  const { hostname, protocol } = new URL(url);
  // Node does not call `lookup` for an address.
  if (!allowsPrivateAddresses && isPrivateHost(hostname)) return failure(new AddressRefusedError());
  const request = protocol === 'https:' ? requestHttps : requestHttp;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const status = await new Promise<number>((done, fail) => {
      const call = request(
        url,
        {
          method: 'POST',
          agent: false,
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': 'Tastegraph-Webhooks/1',
          },
          signal: AbortSignal.any([timeout, signal]),
          ...(allowsPrivateAddresses ? {} : { lookup: publicLookup(nameServers) }),
        },
        (response) => {
          response.on('error', fail);
          drain(response, () => done(response.statusCode ?? 0));
        },
      );
      call.on('error', fail);
      call.end(body);
    });
    if (status >= 200 && status < 300) return { isConfirmed: true };
    return unconfirmed('STATUS', `The response had the status ${status}.`, status === 410);
  } catch (error) {
    if (signal.aborted) return 'STOPPED';
    if (timeout.aborted)
      return unconfirmed('TIMEOUT', `There was no response within ${timeoutMs / 1000} seconds.`);
    return failure(error as NodeJS.ErrnoException);
  }
}

/** Reads the response to its end, or as far as is allowed. */
function drain(response: IncomingMessage, onEnd: () => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxResponseBytes) return;
    onEnd();
    response.destroy();
  });
  response.on('end', onEnd);
}

const unconfirmed = (code: string, message: string, isGone = false): SendOutcome => ({
  isConfirmed: false,
  isGone,
  code,
  message,
});

/** Messages of Node may contain addresses and names of the network, so they are not shown. */
function failure({ code = '' }: { readonly code?: string | undefined }): SendOutcome {
  if (code === 'ADDRESS_REFUSED')
    return unconfirmed(code, 'The host resolves to an address of a private network, which is not allowed.');
  if (/^E(NOTFOUND|AI_AGAIN|NODATA|SERVFAIL|REFUSED|BADNAME|TIMEOUT)$/.test(code))
    return unconfirmed('NOT_RESOLVED', 'The host name could not be resolved.');
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return unconfirmed('TLS', 'The certificate of the host could not be verified.');
  return unconfirmed('CONNECTION', 'The connection failed or was closed before a complete response.');
}
