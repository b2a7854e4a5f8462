import { seededRandom } from '@tastegraph/algorithms';
import type { BenchEnvironment } from '../environment.ts';
import { encodeRequest } from '../serve/raw-client.ts';
import { type Tenant, users } from './prepare.ts';

/** Calls that are drawn in advance, and then repeated. */
const drawn = 2 ** 16;
const path = '/recommend-items-to-user';

interface TenantRequests {
  /** The n-th call to the project of a rank. */
  readonly toRank: (rank: number, n: number) => Buffer;
  /** The n-th call to all projects, by Zipf's law. */
  readonly toAll: (n: number) => Buffer;
}

/** Ranks are spread over accounts. */
export async function openRequests(
  { service }: BenchEnvironment,
  tenants: readonly Tenant[],
): Promise<TenantRequests> {
  const headers = new Map<string, Record<string, string>>();
  for (const { key } of tenants)
    if (!headers.has(key.account_id)) headers.set(key.account_id, await service.headersFor(path, key));
  const toRank = (rank: number, n: number): Buffer => {
    const tenant = tenants[rank];
    if (!tenant) throw new Error(`there is no project ${rank}`);
    const user_id = users[Math.floor(n / 7) % users.length];
    const body = {
      project_id: tenant.project_id,
      user_id,
      limit: 20,
      attributes: ['title', 'price', 'category'],
    };
    return encodeRequest(path, headers.get(tenant.key.account_id) ?? {}, body);
  };
  const ranks = zipfRanks(tenants.length, drawn, 7);
  return { toRank, toAll: (n) => toRank(ranks[n % drawn] ?? 0, n) };
}

/** `length` ranks below `count`: rank r is drawn in proportion to 1 / (r + 1), as in Zipf's law. */
function zipfRanks(count: number, length: number, seed: number): Uint32Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sums[rank] = sum += 1 / (rank + 1);
  const next = seededRandom(seed);
  return Uint32Array.from({ length }, () => firstAtLeast(sums, next() * sum));
}

function firstAtLeast(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
