import type { Role } from '../config.ts';

export interface ConnectionShares {
  /** For authentication, tokens and readiness. Never used by operations. */
  readonly control: number;
  /** For the operations of the API and the work of a worker. */
  readonly work: number;
  /** For recommendation calls. */
  readonly serving: number;
  /** The part of `work` that calls may use; the rest is for background work. */
  readonly calls: number;
}

/** With fewer connections, only one is reserved for authentication and health. */
const minForTwoControl = 8;
/** In an all-in-one process. Recommendation calls share statements, so they need fewer connections than writes. */
const servingShare = 0.4;
/** Every role reaps stale jobs. An all-in-one process also claims jobs, purges datasets and writes progress. */
const backgroundConnections: Record<Role, number> = { api: 1, serving: 1, worker: 1, 'all-in-one': 2 };

/**
 * Splits the DATABASE_POOL_SIZE connections of a process into separate pools, each with at least one, so that writes never
 * delay recommendations, authentication or health checks.
 */
export function shareConnections(total: number, role: Role): ConnectionShares {
  const control = total >= minForTwoControl ? 2 : 1;
  const rest = Math.max(1, total - control);
  const isShared = role === 'all-in-one';
  const serving = isShared ? Math.max(1, Math.floor(rest * servingShare)) : rest;
  const work = isShared ? Math.max(1, rest - serving) : rest;
  return { control, work, serving, calls: Math.max(1, work - backgroundConnections[role]) };
}
