import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { Request, Response, Tastegraph } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';
import { useChange } from './change.ts';
import { useProject } from './projects.ts';

export type Scenario = Response<'getScenario'>;
export type Question = Scenario['question'];

/** The fields of a recommendation call that a scenario holds. */
export type Settings = Omit<Request<'updateScenario'>, 'project_id' | 'name' | 'version'>;
export type Field = keyof Settings;

const about: ReadonlySet<string> = new Set([
  'project_id',
  'name',
  'question',
  'version',
  'created_ts',
  'updated_ts',
]);

/** What a scenario sets, without what says which scenario it is. */
export const settingsOf = (scenario: object): Settings =>
  Object.fromEntries(Object.entries(scenario).filter(([field]) => !about.has(field)));

/** As many as a project may have. */
const maxScenarios = 100;
/** Versions that the service keeps. */
export const keptVersions = 20;

export const scenariosQuery = (client: Tastegraph, accountId: string, project_id: string) =>
  queryOptions({
    queryKey: [accountId, 'scenarios', project_id],
    queryFn: async ({ signal }) =>
      (await client.listScenarios({ project_id, page_size: maxScenarios }, { signal })).scenarios,
  });

export function useScenarios() {
  const { client, account } = useAccess();
  return useQuery(scenariosQuery(client, account.account_id, useProject().project_id));
}

/** The versions that are kept, newest first, as they arrive. */
export function useVersions({ name, version: newest }: Scenario) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  const numbers = Array.from({ length: Math.min(newest, keptVersions) }, (_, index) => newest - index);
  return useQueries({
    queries: numbers.map((version) => ({
      queryKey: [account.account_id, 'scenario', project_id, name, version],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.getScenario({ project_id, name, version }, { signal }),
      // A version never changes.
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (results) => ({
      versions: results.flatMap(({ data }) => data ?? []),
      error: results.find(({ error }) => error !== null)?.error ?? null,
      isPending: results.some(({ isPending }) => isPending),
    }),
  });
}

interface Saved {
  readonly name: string;
  readonly question: Question;
  readonly settings: Settings;
  /** The version that was read; undefined for a new scenario. */
  readonly version: number | undefined;
}

/** Creates a scenario, or a new version of one. It takes effect with the next call. */
export function useSaveScenario() {
  const { project_id } = useProject();
  return useChange(
    (client, { name, question, settings, version }: Saved) =>
      version === undefined
        ? client.createScenario({ project_id, name, question, ...settings })
        : client.updateScenario({ project_id, name, version, ...settings }),
    [['scenarios', project_id]],
  );
}

export function useDeleteScenario() {
  const { project_id } = useProject();
  return useChange(
    (client, name: string) => client.deleteScenario({ project_id, name }),
    [['scenarios', project_id]],
  );
}

/** A version that has the settings of an old one. */
export const restored = (current: Scenario, old: Scenario): Saved => ({
  name: current.name,
  question: current.question,
  settings: settingsOf(old),
  version: current.version,
});
