import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Tastegraph } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';

/** More are not shown in the switcher; a list of projects is short. */
const maxProjects = 200;

export const projectsQuery = (client: Tastegraph, accountId: string) =>
  queryOptions({
    queryKey: [accountId, 'projects'],
    queryFn: async ({ signal }) =>
      (await client.listProjects({ page_size: maxProjects }, { signal })).projects,
  });

export const projectQuery = (client: Tastegraph, accountId: string, project_id: string) =>
  queryOptions({
    queryKey: [accountId, 'project', project_id],
    queryFn: ({ signal }) => client.getProject({ project_id }, { signal }),
  });

export function useProjects() {
  const { client, account } = useAccess();
  return useQuery(projectsQuery(client, account.account_id));
}
