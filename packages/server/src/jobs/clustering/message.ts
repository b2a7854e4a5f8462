import type { Clustering } from '@tastegraph/algorithms';
import { inWords } from '../../lib/wording.ts';

/** What the developer would wonder about in the result; null when there is nothing. */
export function messageOf(
  { clusters, clusterOf, deleted }: Clustering,
  minUsers: number,
  isPreviousGone: boolean,
): string | null {
  const unassigned = clusterOf.length - clusters.reduce((sum, { size }) => sum + size, 0);
  const parts: string[] = [];
  if (deleted > 0)
    parts.push(
      `${inWords(deleted, 'group')} under ${inWords(minUsers, 'user')} ${deleted === 1 ? 'was' : 'were'} deleted`,
    );
  if (unassigned > 0)
    parts.push(`${inWords(unassigned, 'user')} ${unassigned === 1 ? 'is' : 'are'} unassigned`);
  if (clusters.length === 1) parts.push('tastes do not fall into groups: there is one');
  if (isPreviousGone) parts.push('the result before is no longer there, so all groups have new ids');
  const text = parts.join('; ');
  return text === '' ? null : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
