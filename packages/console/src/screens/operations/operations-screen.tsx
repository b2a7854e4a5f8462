import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader } from '../../components/card.tsx';
import { TabList, TabPanel, Tabs } from '../../components/tabs.tsx';
import { useMay } from '../../session/access.tsx';
import { AuditTab } from './audit-tab.tsx';
import { ErasureTab } from './erasure-tab.tsx';
import { JobsTab } from './jobs-tab.tsx';
import { KeysTab } from './keys-tab.tsx';
import { PeopleTab } from './people-tab.tsx';
import { SchedulesTab } from './schedules-tab.tsx';
import { isOperationsTab, type OperationsTab, operationsTabs } from './tabs.ts';
import { UsageTab } from './usage-tab.tsx';
import { WebhooksTab } from './webhooks-tab.tsx';

const panels: Readonly<Record<OperationsTab, ReactNode>> = {
  jobs: <JobsTab />,
  schedules: <SchedulesTab />,
  usage: <UsageTab />,
  webhooks: <WebhooksTab />,
  keys: <KeysTab />,
  people: <PeopleTab />,
  audit: <AuditTab />,
  erasure: <ErasureTab />,
};

/** What runs in the account, and who uses it how. */
export function OperationsScreen() {
  const { tab: asked = 'jobs' } = useSearch({
    from: '/signed-in/accounts/$accountId/projects/$projectId/operations',
  });
  const navigate = useNavigate({ from: '/accounts/$accountId/projects/$projectId/operations' });
  const allowed: Readonly<Record<OperationsTab, boolean>> = {
    jobs: true,
    schedules: useMay('listSchedules'),
    usage: useMay('getUsage'),
    webhooks: useMay('listWebhooks'),
    keys: useMay('listApiKeys'),
    people: useMay('listPeople'),
    audit: useMay('listAuditEvents'),
    erasure: useMay('eraseUser'),
  };
  const tabs = Object.keys(operationsTabs)
    .filter(isOperationsTab)
    .filter((tab) => allowed[tab]);
  const tab = tabs.includes(asked) ? asked : 'jobs';
  return (
    <>
      <PageHeader
        title="Operations"
        hint="Jobs and schedules of the project, what the account uses, and who has access to it."
      />
      <Tabs
        value={tab}
        onValueChange={(value) => void navigate({ search: { tab: value as OperationsTab }, replace: true })}
      >
        <TabList label="Operations" tabs={tabs.map((value) => ({ value, title: operationsTabs[value] }))} />
        {tabs.map((value) => (
          <TabPanel key={value} value={value} className="pt-4">
            {panels[value]}
          </TabPanel>
        ))}
      </Tabs>
    </>
  );
}
