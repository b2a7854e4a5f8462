import type { Clustering } from '@tastegraph/algorithms';
import { formatCount } from '../../kernel/lib/format.ts';

/** Explains what may be surprising in the result; null if nothing. */
export function messageOf(
  { clusters, clusterOf, deleted }: Clustering,
  minUsers: number,
  isPreviousGone: boolean,
): string | null {
  const unassigned = clusterOf.length - clusters.reduce((sum, { size }) => sum + size, 0);
  const parts: string[] = [];
  if (deleted > 0)
    parts.push(
      `${formatCount(deleted, 'cluster')} with fewer than ${formatCount(minUsers, 'user')} ${deleted === 1 ? 'was' : 'were'} dropped`,
    );
  if (unassigned > 0)
    parts.push(`${formatCount(unassigned, 'user')} ${unassigned === 1 ? 'is' : 'are'} not in a cluster`);
  if (clusters.length === 1)
    parts.push('the tastes of the users do not form separate clusters, so there is only one');
  if (isPreviousGone) parts.push('the previous result no longer exists, so all clusters have new IDs');
  const text = parts.join('; ');
  return text === '' ? null : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
