import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPrivateAddress } from '../kernel/lib/private-address.ts';

/** A name server that does not answer within two seconds is asked once more. */
const patience = { timeout: 2000, maxTimeout: 2000, tries: 2 };

export class AddressRefusedError extends Error {
  readonly code = 'ADDRESS_REFUSED';
  override readonly message = 'The host resolves to an address of a private network.';
}

/**
 * Resolves names to public addresses only. The connection uses what was checked, so the name cannot change in between. Asks the name
 * servers itself: the system's resolver occupies one of libuv's few threads for as long as a stranger's name server is silent, and
 * files and cryptography wait for them too. `nameServers` are those of the machine by default.
 */
export function publicLookup(nameServers?: readonly string[]): LookupFunction {
  return (hostname, options, callback) => {
    resolvePublic(hostname, nameServers).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all || !first) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    );
  };
}

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** At least one. */
async function resolvePublic(
  hostname: string,
  nameServers: readonly string[] | undefined,
): Promise<ResolvedAddress[]> {
  const resolver = new Resolver(patience);
  if (nameServers) resolver.setServers(nameServers);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
  const allowed = found.filter(({ address }) => !isPrivateAddress(address));
  if (allowed.length === 0) throw new AddressRefusedError();
  return allowed;
}
