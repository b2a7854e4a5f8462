import { expect, test } from 'vitest';
import { openWith } from './open-cli.ts';

const webhook = {
  webhook_id: 'whk_1',
  url: 'https://example.com/',
  events: ['job.ended'],
  enabled: true,
  disabled_reason: null,
  created_ts: 1,
  last_delivered_ts: null,
  last_failure: null,
  pending: 0,
};

test('webhook creates, lists, disables and deletes, and shows a secret only when it is created', async () => {
  const { cli, requests } = await openWith(
    ({ path }) => (path === '/create-webhook' ? { ...webhook, secret: 'whsec_x' } : webhook),
    { '/list-webhooks': { webhooks: [webhook] } },
  );
  const created = await cli.run(['webhook', 'create', webhook.url, '--events', 'job.ended,quota.near']);
  expect(created.code).toBe(0);
  expect(created.stdout).toContain('whsec_x');
  const listed = await cli.run(['webhook']);
  for (const word of ['whk_1', webhook.url, 'enabled']) expect(listed.stdout).toContain(word);
  expect((await cli.run(['webhook', 'disable', 'whk_1'])).code).toBe(0);
  expect((await cli.run(['webhook', 'delete', 'whk_1', '--yes'])).code).toBe(0);
  expect(requests).toEqual([
    ['/create-webhook', { url: webhook.url, events: ['job.ended', 'quota.near'] }],
    ['/update-webhook', { webhook_id: 'whk_1', enabled: false }],
    ['/delete-webhook', { webhook_id: 'whk_1' }],
  ]);
});
