import { importJWK, type JWTPayload, SignJWT } from 'jose';
import type { Database } from '../../../src/kernel/postgres/pool.ts';
import { listSigningKeys } from '../../../src/keys/rows.ts';

/** A token signed with the service's newest key, as only a thief of the database could create it. */
export async function signToken(db: Database, claims: JWTPayload): Promise<string> {
  const [newest] = await listSigningKeys(db, 1);
  if (!newest) throw new Error('there is no signing key yet');
  return new SignJWT({ iss: 'tastegraph', ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: newest.kid })
    .sign(await importJWK(newest.private_jwk, 'EdDSA'));
}

/** The status of a call with the token, which needs the scope `/list-user-datasets`. */
export async function statusWith(baseUrl: string, apiKey: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, apikey: apiKey };
  const response = await fetch(`${baseUrl}/list-user-datasets`, { headers });
  await response.body?.cancel();
  return response.status;
}
