import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAccess } from '../session/access.tsx';
import { useProject } from '../use/projects.ts';
import { type ButtonLook, buttonClass } from './button.tsx';

interface ScreenLinkProps {
  readonly screen: 'data' | 'models' | 'playground';
  readonly look?: ButtonLook;
  readonly children: ReactNode;
}

/** Leads to another screen of the project, and looks like a button. */
export function ScreenLink({ screen, look, children }: ScreenLinkProps) {
  const { account } = useAccess();
  const { project_id } = useProject();
  return (
    <Link
      to={`/accounts/$accountId/projects/$projectId/${screen}`}
      params={{ accountId: account.account_id, projectId: project_id }}
      className={buttonClass(look)}
    >
      {children}
    </Link>
  );
}
