import type { Service } from '../service.ts';
import type { Target } from './load.ts';
import type { Prepared } from './prepare.ts';
import { encodeRequest } from './raw-client.ts';

const path = '/recommend-items-to-user';

/** The recommendation calls of a prepared project, one user after another. */
export async function recommendRequests(
  service: Service,
  limit: number,
): Promise<(prepared: Prepared) => Target['request']> {
  const headers = await service.headersFor(path);
  return ({ project_id, users, attributes }) =>
    (n) =>
      encodeRequest(path, headers, { project_id, user_id: users[n % users.length], limit, attributes });
}
