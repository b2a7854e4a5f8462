import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Response, Tastegraph } from '@tastegraph/sdk';
import { createContext, useContext } from 'react';
import { useAccess } from '../session/access.tsx';

export type Project = Response<'getProject'>;

/** Links from a screen of the project lead on to others with the same account and project. */
export const projectPath = '/accounts/$accountId/projects/$projectId' as const;

export const ProjectContext = createContext<Project | undefined>(undefined);

export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (!project) throw new Error('This component needs a project above it.');
  return project;
}

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
