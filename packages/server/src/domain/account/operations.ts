import { endpoints } from '@tastegraph/contract';
import { Fault } from '../fault.ts';

export const operationPaths: ReadonlySet<string> = new Set(Object.values(endpoints).map(([, path]) => path));

/** Paths a key is limited to, checked against the contract; null: no limit. */
export function parseOperations(paths: readonly string[] | null): string[] | null {
  const unknown = paths?.find((path) => !operationPaths.has(path));
  if (unknown !== undefined) {
    throw new Fault(
      'INVALID_REQUEST',
      `There is no operation ${unknown}. There are: ${[...operationPaths].join(' ')}`,
    );
  }
  return paths === null ? null : [...new Set(paths)];
}
