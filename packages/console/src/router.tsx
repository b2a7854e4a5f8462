import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ErrorState } from './components/states.tsx';
import { queryClient } from './query-client.ts';
import { type AudiencesTab, isAudiencesTab } from './screens/audiences/tabs.ts';
import { HomeScreen } from './screens/home-screen.tsx';
import { isOperationsTab, type OperationsTab } from './screens/operations/tabs.ts';
import type { PlaygroundSearch } from './screens/playground/subject.ts';
import { variantsIn } from './screens/playground/variants.ts';
import {
  prefetchData,
  prefetchModels,
  prefetchOverview,
  prefetchPlayground,
  prefetchProject,
  prefetchScenarios,
} from './screens/prefetch.ts';
import type { ScenariosSearch } from './screens/scenarios/settings.ts';
import { screens } from './screens/screens.ts';
import { SignInScreen } from './screens/sign-in-screen.tsx';
import { sessionQuery } from './session/session.ts';
import { AccountLayout } from './shell/account-layout.tsx';
import { NotFound } from './shell/not-found.tsx';
import { ProjectLayout } from './shell/project-layout.tsx';

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => <ErrorState error={error} onRetry={() => location.reload()} />,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  // Only a path of this page: `next` must not lead to another site. Undefined replaces what the address has.
  validateSearch: ({ next, error }): { next?: string | undefined; error?: string | undefined } => ({
    next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined,
    error: typeof error === 'string' ? error : undefined,
  }),
  component: SignInScreen,
});

/** Everything that needs a session. The address is kept for after the sign-in. */
const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location: { href } }) => {
    const session = await queryClient.query({ ...sessionQuery, staleTime: 'static' });
    // oxlint-disable-next-line typescript/only-throw-error -- the way of the router
    if (!session) throw redirect({ to: '/sign-in', search: href === '/' ? {} : { next: href } });
    return { session };
  },
});

const homeRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/', component: HomeScreen });

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/accounts/$accountId',
  component: AccountLayout,
});

const projectsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/',
  component: lazyRouteComponent(screens.projects, 'ProjectsScreen'),
});

const projectRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/projects/$projectId',
  loader: prefetchProject,
  component: ProjectLayout,
});

const playgroundRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/playground',
  // An ID of digits arrives as a number.
  validateSearch: ({ user, items, ...search }): PlaygroundSearch => ({
    ...variantsIn(search),
    user: typeof user === 'string' || typeof user === 'number' ? String(user) : undefined,
    items: Array.isArray(items) ? items.map(String) : undefined,
  }),
  loader: prefetchPlayground,
  component: lazyRouteComponent(screens.playground, 'PlaygroundScreen'),
});

const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  loader: prefetchOverview,
  component: lazyRouteComponent(screens.overview, 'OverviewScreen'),
});

const dataRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/data',
  loader: prefetchData,
  component: lazyRouteComponent(screens.data, 'DataScreen'),
});

const scenariosRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/scenarios',
  // A name of digits arrives as a number.
  validateSearch: ({ scenario, isNew }): ScenariosSearch => ({
    scenario: typeof scenario === 'string' || typeof scenario === 'number' ? String(scenario) : undefined,
    isNew: isNew === true ? true : undefined,
  }),
  loader: prefetchScenarios,
  component: lazyRouteComponent(screens.scenarios, 'ScenariosScreen'),
});

const modelsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/models',
  loader: prefetchModels,
  component: lazyRouteComponent(screens.models, 'ModelsScreen'),
});

const outcomesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/outcomes',
  validateSearch: ({ recommendation }): { recommendation?: string | undefined } => ({
    recommendation: typeof recommendation === 'string' ? recommendation : undefined,
  }),
  component: lazyRouteComponent(screens.outcomes, 'OutcomesScreen'),
});

const experimentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/experiments',
  component: lazyRouteComponent(screens.experiments, 'ExperimentsScreen'),
});

const audiencesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/audiences',
  validateSearch: ({ tab }): { tab?: AudiencesTab | undefined } => ({
    tab: isAudiencesTab(tab) ? tab : undefined,
  }),
  component: lazyRouteComponent(screens.audiences, 'AudiencesScreen'),
});

const operationsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/operations',
  validateSearch: ({ tab }): { tab?: OperationsTab | undefined } => ({
    tab: isOperationsTab(tab) ? tab : undefined,
  }),
  component: lazyRouteComponent(screens.operations, 'OperationsScreen'),
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  signedInRoute.addChildren([
    homeRoute,
    accountRoute.addChildren([
      projectsRoute,
      projectRoute.addChildren([
        overviewRoute,
        dataRoute,
        playgroundRoute,
        scenariosRoute,
        modelsRoute,
        outcomesRoute,
        experimentsRoute,
        audiencesRoute,
        operationsRoute,
      ]),
    ]),
  ]),
]);

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
