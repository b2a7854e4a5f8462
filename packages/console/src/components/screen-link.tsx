import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { projectPath } from '../use/projects.ts';
import { type ButtonLook, buttonClass } from './button.tsx';

interface ScreenLinkProps {
  readonly screen: 'data' | 'models' | 'playground';
  readonly look?: ButtonLook;
  readonly children: ReactNode;
}

/** Leads to another screen of the project, and looks like a button. */
export function ScreenLink({ screen, look, children }: ScreenLinkProps) {
  return (
    <Link from={projectPath} to={`${projectPath}/${screen}`} className={buttonClass(look)}>
      {children}
    </Link>
  );
}
