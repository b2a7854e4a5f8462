import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Request, Response } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';

export type Webhook = Response<'listWebhooks'>['webhooks'][number];
export type WebhookEvent = Webhook['events'][number];

/** More than an account can have. */
const pageSize = 100;
const pollMs = 10_000;

/** What each event means. */
export const webhookEvents: Readonly<Record<WebhookEvent, string>> = {
  'job.ended': 'A job ended',
  'guard.refused': 'A guard refused a model',
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

function useRefresh() {
  const queryClient = useQueryClient();
  const { account } = useAccess();
  return () => queryClient.invalidateQueries({ queryKey: [account.account_id, 'webhooks'] });
}

export function useCreateWebhook() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (webhook: Request<'createWebhook'>) => client.createWebhook(webhook),
    onSuccess: refresh,
    // The secret is not kept in the cache of mutations.
    gcTime: 0,
  });
}

export function useUpdateWebhook() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (change: Request<'updateWebhook'>) => client.updateWebhook(change),
    onSettled: refresh,
    // A new secret is not kept either.
    gcTime: 0,
  });
}

export function useDeleteWebhook() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (webhook_id: string) => client.deleteWebhook({ webhook_id }),
    onSuccess: refresh,
  });
}
