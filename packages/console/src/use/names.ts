import { useQuery } from '@tanstack/react-query';
import { useAccess } from '../session/access.tsx';
import { useDatasets } from './datasets.ts';
import { useExperiments } from './experiments.ts';
import { useJobs } from './jobs.ts';
import { nameOfKey, useKeys } from './keys.ts';
import { useModels } from './models.ts';
import { usePeople } from './people.ts';
import { useProject, useProjects } from './projects.ts';
import { useSchedules } from './schedules.ts';
import { useWebhooks } from './webhooks.ts';

/** What the prefixes of IDs stand for. */
const kinds: Readonly<Record<string, string>> = {
  uds: 'user dataset',
  ids: 'item dataset',
  eds: 'event dataset',
  prj: 'project',
  alg: 'algorithm',
  mdl: 'model',
  job: 'job',
  ers: 'erasure',
  prs: 'person',
  sch: 'schedule',
  exp: 'experiment',
  whk: 'webhook',
  tg: 'API key',
};

/** Digits of an ID that tell it apart: its start is the time. */
const shownDigits = 6;

/** Names of what people change: of the account, and of the project that is open. What was deleted has its kind and the end of its ID. */
export function useNames(): (id: string) => string {
  const names = new Map<string, string>();
  for (const { person_id, name } of usePeople().data ?? []) names.set(person_id, name);
  for (const key of useKeys().data ?? []) names.set(key.api_key, nameOfKey(key));
  for (const { project_id, name } of useProjects().data ?? []) names.set(project_id, name);
  for (const { id, name, kind } of useDatasets().data ?? []) names.set(id, `${name} (${kind})`);
  for (const { model_id, name } of useModels().data ?? []) names.set(model_id, name);
  for (const { algorithm_id, name } of useAlgorithms().data ?? []) names.set(algorithm_id, name);
  for (const { job_id, name } of useJobs().data ?? []) names.set(job_id, name);
  for (const { schedule_id, name } of useSchedules().data ?? []) names.set(schedule_id, name);
  for (const { experiment_id, name } of useExperiments().data ?? []) names.set(experiment_id, name);
  for (const { webhook_id, url } of useWebhooks().data ?? []) names.set(webhook_id, url);
  return (text) => {
    // A scenario has no ID: the project's and its name.
    const [id = '', scenario] = split(text);
    const name = names.get(id) ?? describeId(id);
    return scenario === undefined ? name : `${scenario} (scenario of ${name})`;
  };
}

function useAlgorithms() {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'algorithms', project_id],
    queryFn: async ({ signal }) => (await client.listAlgorithms({ project_id }, { signal })).algorithms,
  });
}

function split(text: string): string[] {
  const at = text.indexOf(' ');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function describeId(id: string): string {
  const kind = kinds[id.slice(0, id.indexOf('_'))];
  return kind === undefined ? id : `${kind} …${id.slice(-shownDigits)}`;
}
