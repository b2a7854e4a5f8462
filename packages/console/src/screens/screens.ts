/** The screens, each loaded when it is first opened. */
export const screens = {
  projects: () => import('./projects-screen.tsx'),
  overview: () => import('./overview/overview-screen.tsx'),
  data: () => import('./data/data-screen.tsx'),
  playground: () => import('./playground/playground-screen.tsx'),
  scenarios: () => import('./scenarios/scenarios-screen.tsx'),
  models: () => import('./models/models-screen.tsx'),
  outcomes: () => import('./outcomes/outcomes-screen.tsx'),
  experiments: () => import('./experiments/experiments-screen.tsx'),
  audiences: () => import('./audiences/audiences-screen.tsx'),
  operations: () => import('./operations/operations-screen.tsx'),
};

/** Which screen a path leads to, as the router will find out later. */
export function screenAt(path: string): (() => Promise<unknown>) | undefined {
  const match = /^\/accounts\/[^/]+(?:\/projects\/[^/]+(?:\/(?<name>[^/]+))?)?\/?$/.exec(path);
  if (!match) return undefined;
  const name = match.groups?.['name'] ?? (path.includes('/projects/') ? 'overview' : 'projects');
  return Object.hasOwn(screens, name) ? screens[name as keyof typeof screens] : undefined;
}
