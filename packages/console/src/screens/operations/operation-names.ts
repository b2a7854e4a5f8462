import { endpoints, type OperationName, roleIncludes } from '@tastegraph/contract/endpoints';

const names = Object.keys(endpoints) as OperationName[];

/** "/delete-project" as "Delete project". */
export function titleOfPath(path: string): string {
  const words = path.slice(1).replaceAll('-', ' ').replace('api key', 'API key');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The paths that a role may call, and so give to a key. */
export const pathsOfRole = (role: Parameters<typeof roleIncludes>[0]): string[] =>
  names.filter((name) => roleIncludes(role, endpoints[name][2])).map((name) => endpoints[name][1]);

/** The paths of the operations that the audit log has entries of. */
export const changes: readonly string[] = names
  .filter((name) => endpoints[name][0] !== 'GET' && endpoints[name][2] !== 'VIEWER')
  .map((name) => endpoints[name][1]);

const isRead = (path: string) => /^\/(get|list|check)-/.test(path);
const isQuestion = (path: string) => /^\/(recommend|rank)-/.test(path);

/** What programs usually need of a key. */
export const presets = {
  shop: {
    label: 'Recommend, and send events and records',
    includes: (path: string) => isQuestion(path) || path.startsWith('/upsert-dataset-'),
  },
  recommend: { label: 'Recommend only', includes: isQuestion },
  events: { label: 'Send events only', includes: (path: string) => path === '/upsert-dataset-events' },
  read: { label: 'Read only', includes: (path: string) => isRead(path) || isQuestion(path) },
} as const;
