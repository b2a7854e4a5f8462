import { endpoints, type Role } from '@tastegraph/contract';
import { ApiError } from '../http/api-error.ts';

export const operationPaths: ReadonlySet<string> = new Set(Object.values(endpoints).map(([, path]) => path));

const leastRoles: ReadonlyMap<string, Role> = new Map(
  Object.values(endpoints).map(([, path, role]) => [path, role]),
);

/** For a path that is no operation, the role that may do everything. */
export const leastRoleOf = (path: string): Role => leastRoles.get(path) ?? 'OWNER';

/** Checks the paths that a key is limited to. Null means no limit. */
export function parseOperations(paths: readonly string[] | null): string[] | null {
  const unknown = paths?.find((path) => !operationPaths.has(path));
  if (unknown !== undefined) {
    throw new ApiError(
      'INVALID_REQUEST',
      `Unknown operation ${unknown}. The operations are: ${[...operationPaths].join(' ')}`,
    );
  }
  return paths === null ? null : [...new Set(paths)];
}
