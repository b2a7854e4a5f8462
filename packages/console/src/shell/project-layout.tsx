import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import {
  Check,
  ChevronsUpDown,
  Database,
  FlaskConical,
  FolderOpen,
  LayoutDashboard,
  ListChecks,
  MousePointerClick,
  Play,
  Settings,
  Sigma,
  SlidersHorizontal,
  Users,
} from 'lucide-react';
import { useState } from 'react';
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../components/menu.tsx';
import { QueryView } from '../components/states.tsx';
import { useAccess, useMay } from '../session/access.tsx';
import { ProjectContext, projectPath, projectQuery, useProjects } from '../use/projects.ts';
import { Frame } from './frame.tsx';
import { ProjectSettings } from './project-settings.tsx';

/** Only screens that exist. */
const entries = [
  { to: projectPath, label: 'Overview', icon: <LayoutDashboard aria-hidden /> },
  { to: `${projectPath}/data`, label: 'Data', icon: <Database aria-hidden /> },
  { to: `${projectPath}/playground`, label: 'Playground', icon: <Play aria-hidden /> },
  { to: `${projectPath}/scenarios`, label: 'Scenarios', icon: <SlidersHorizontal aria-hidden /> },
  { to: `${projectPath}/models`, label: 'Models', icon: <Sigma aria-hidden /> },
  { to: `${projectPath}/outcomes`, label: 'Outcomes', icon: <MousePointerClick aria-hidden /> },
  { to: `${projectPath}/experiments`, label: 'Experiments', icon: <FlaskConical aria-hidden /> },
  { to: `${projectPath}/audiences`, label: 'Audiences', icon: <Users aria-hidden /> },
  { to: `${projectPath}/operations`, label: 'Operations', icon: <ListChecks aria-hidden /> },
] as const;

export function ProjectLayout() {
  const { accountId, projectId } = useParams({ from: `/signed-in${projectPath}` });
  const { client } = useAccess();
  const query = useQuery(projectQuery(client, accountId, projectId));
  const nav = (onNavigate: () => void) => (
    <>
      <ProjectSwitcher projectId={projectId} />
      <nav aria-label="Project" className="mt-3 flex flex-col gap-0.5">
        {entries.map(({ to, label, icon }) => (
          <Link
            key={label}
            to={to}
            params={{ accountId, projectId }}
            onClick={onNavigate}
            activeOptions={{ exact: true, includeSearch: false }}
            className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-muted hover:bg-sunken hover:text-ink [&_svg]:size-4"
            activeProps={{
              className: 'bg-accent-soft font-medium !text-accent-text',
              'aria-current': 'page',
            }}
          >
            {icon}
            {label}
          </Link>
        ))}
      </nav>
    </>
  );
  return (
    <Frame nav={nav} project={query.data?.name}>
      <QueryView query={query} lines={8}>
        {(project) => (
          <ProjectContext value={project}>
            <Outlet />
          </ProjectContext>
        )}
      </QueryView>
    </Frame>
  );
}

function ProjectSwitcher({ projectId }: { projectId: string }) {
  const { account } = useAccess();
  const canChange = useMay('updateProject');
  const [isChanging, setChanging] = useState(false);
  const navigate = useNavigate();
  const projects = useProjects();
  const current = projects.data?.find((one) => one.project_id === projectId);
  return (
    <>
      <Menu modal={false}>
        <MenuTrigger className="flex h-9 w-full items-center gap-2 rounded-md border border-line bg-bg px-2.5 text-left font-medium hover:bg-sunken">
          <span className="sr-only">Project</span>
          <span className="min-w-0 flex-1 truncate">{current?.name ?? '…'}</span>
          <ChevronsUpDown className="size-4 shrink-0 text-muted" aria-hidden />
        </MenuTrigger>
        <MenuContent align="start">
          {projects.data?.map((one) => (
            <MenuItem
              key={one.project_id}
              onSelect={() =>
                void navigate({
                  to: projectPath,
                  params: { accountId: account.account_id, projectId: one.project_id },
                })
              }
            >
              <span className="min-w-0 flex-1 truncate">{one.name}</span>
              {one.project_id === projectId && <Check aria-label="current" />}
            </MenuItem>
          ))}
          <MenuLine />
          {canChange && (
            <MenuItem onSelect={() => setChanging(true)}>
              <Settings aria-hidden /> Project settings
            </MenuItem>
          )}
          <MenuItem
            onSelect={() =>
              void navigate({ to: '/accounts/$accountId', params: { accountId: account.account_id } })
            }
          >
            <FolderOpen aria-hidden /> All projects
          </MenuItem>
        </MenuContent>
      </Menu>
      <ProjectSettings projectId={projectId} open={isChanging} onClose={() => setChanging(false)} />
    </>
  );
}
