import { useQuery } from '@tanstack/react-query';
import type { Request, Response } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';
import { useChange } from './change.ts';

export type Webhook = Response<'listWebhooks'>['webhooks'][number];
export type WebhookEvent = Webhook['events'][number];

/** More than an account can have. */
const pageSize = 100;
const pollMs = 10_000;

/** What each event means. */
export const webhookEvents: Readonly<Record<WebhookEvent, string>> = {
  'job.ended': 'A job ended',
  'guard.refused': 'A guard refused a model',
  'deployment.rolled_back': 'A deployment was rolled back',
  'dataset.nearly_full': 'A dataset is nearly full',
  'experiment.decided': 'An experiment is decided',
  'quota.near': 'A limit of the plan is nearly reached',
  'schedule.missed': 'A schedule missed a run',
};

export function useWebhooks() {
  const { client, account } = useAccess();
  return useQuery({
    queryKey: [account.account_id, 'webhooks'],
    queryFn: async ({ signal }) => (await client.listWebhooks({ page_size: pageSize }, { signal })).webhooks,
    refetchInterval: pollMs,
  });
}

const stale = [['webhooks']];

export const useCreateWebhook = () =>
  useChange((client, webhook: Request<'createWebhook'>) => client.createWebhook(webhook), stale, {
    hasSecret: true,
  });

export const useUpdateWebhook = () =>
  useChange((client, change: Request<'updateWebhook'>) => client.updateWebhook(change), stale, {
    isReadAfterErrors: true,
    hasSecret: true,
  });

export const useDeleteWebhook = () =>
  useChange((client, webhook_id: string) => client.deleteWebhook({ webhook_id }), stale);
