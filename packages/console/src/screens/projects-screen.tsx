import { Link } from '@tanstack/react-router';
import { FolderOpen } from 'lucide-react';
import { Badge } from '../components/badge.tsx';
import { Card, PageHeader } from '../components/card.tsx';
import { EmptyState, QueryView } from '../components/states.tsx';
import { useAccess, useMay } from '../session/access.tsx';
import { Frame } from '../shell/frame.tsx';
import { useProjects } from '../use/projects.ts';
import { NewProject } from './new-project.tsx';

export function ProjectsScreen() {
  const { account } = useAccess();
  const projects = useProjects();
  const canCreate = useMay('createProject');
  return (
    <Frame nav={() => null}>
      <PageHeader
        title="Projects"
        hint="A project recommends items to users from one set of data."
        actions={canCreate && projects.data?.length !== 0 && <NewProject />}
      />
      <Card>
        <QueryView query={projects}>
          {(list) =>
            list.length === 0 ? (
              <EmptyState icon={FolderOpen} title="No projects yet" action={canCreate && <NewProject />}>
                Create a project, drop your CSV files into it, and train a model. It takes a few minutes.
              </EmptyState>
            ) : (
              <ul className="divide-y divide-line">
                {list.map((project) => (
                  <li key={project.project_id}>
                    <Link
                      to="/accounts/$accountId/projects/$projectId"
                      params={{ accountId: account.account_id, projectId: project.project_id }}
                      className="flex items-center gap-3 px-4 py-3 hover:bg-sunken"
                    >
                      <span className="min-w-0 flex-1">
                        <span className="block truncate font-medium">{project.name}</span>
                        <span className="text-sm text-muted">Predicts “{project.target_event_type}”</span>
                      </span>
                      {project.default && <Badge tone="info">default</Badge>}
                      {project.deployment ? <Badge tone="good">deployed</Badge> : <Badge>not deployed</Badge>}
                    </Link>
                  </li>
                ))}
              </ul>
            )
          }
        </QueryView>
      </Card>
    </Frame>
  );
}
