import { useNavigate, useSearch } from '@tanstack/react-router';
import { PageHeader } from '../../components/card.tsx';
import { TabList, TabPanel, Tabs } from '../../components/tabs.tsx';
import { AffinityTab } from './affinity-tab.tsx';
import { ClustersTab } from './clusters-tab.tsx';
import { ListsTab } from './lists-tab.tsx';
import { type AudiencesTab, audiencesTabs } from './tabs.ts';

const from = '/signed-in/accounts/$accountId/projects/$projectId/audiences' as const;

/** Who the users are: their clusters, what they prefer, and lists of them to use elsewhere. */
export function AudiencesScreen() {
  const { tab = 'clusters' } = useSearch({ from });
  const navigate = useNavigate({ from: '/accounts/$accountId/projects/$projectId/audiences' });
  return (
    <>
      <PageHeader
        title="Audiences"
        hint="Clusters of users by taste, what users prefer, and lists of users to download."
      />
      <Tabs
        value={tab}
        onValueChange={(value) => void navigate({ search: { tab: value as AudiencesTab }, replace: true })}
      >
        <TabList
          label="Audiences"
          tabs={Object.entries(audiencesTabs).map(([value, title]) => ({ value, title }))}
        />
        <TabPanel value="clusters" className="pt-4">
          <ClustersTab />
        </TabPanel>
        <TabPanel value="affinity" className="pt-4">
          <AffinityTab />
        </TabPanel>
        <TabPanel value="lists" className="pt-4">
          <ListsTab />
        </TabPanel>
      </Tabs>
    </>
  );
}
