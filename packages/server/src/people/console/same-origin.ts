import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../http/api-error.ts';

/**
 * Refuses a call that another site may have made the browser send. The browser sets both headers, scripts cannot. Sec-Fetch-Site
 * also works if the console is opened at another address than BASE_URL, such as localhost.
 */
export function requireSameOrigin({ headers }: FastifyRequest, baseUrl: string): void {
  if (headers['sec-fetch-site'] === 'same-origin' || headers.origin === new URL(baseUrl).origin) return;
  throw new ApiError(
    'CSRF_REJECTED',
    'The call does not come from a page of this address. Open the console at the address in BASE_URL.',
  );
}
