import type { Response } from '@tastegraph/sdk';
import { createContext, useContext } from 'react';

export type Project = Response<'getProject'>;

export const ProjectContext = createContext<Project | undefined>(undefined);

export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (!project) throw new Error('This component needs a project above it.');
  return project;
}
