import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { TabList, TabPanel, Tabs } from '../../components/tabs.tsx';
import { projectPath, useProject } from '../../use/projects.ts';
import { snippetsAsCurl, snippetsAsSdk } from './snippets.ts';

/** How an application sends events and asks for recommendations. */
export function SnippetsCard() {
  const project = useProject();
  const ways = [
    { value: 'sdk', title: 'TypeScript', text: snippetsAsSdk(project, location.origin) },
    { value: 'curl', title: 'curl', text: snippetsAsCurl(project, location.origin) },
  ];
  return (
    <Card title="Connect your application" hint="send an event, ask for recommendations" className="mt-4">
      <p className="px-4 pt-3 text-muted">
        Create a key under{' '}
        <Link
          from={projectPath}
          to={`${projectPath}/operations`}
          search={{ tab: 'keys' }}
          className="text-accent-text underline"
        >
          Operations, API keys
        </Link>{' '}
        and set TASTEGRAPH_API_KEY and TASTEGRAPH_API_SECRET to it. Keep the secret on your servers.
      </p>
      <Tabs defaultValue="sdk">
        <TabList label="Language" tabs={ways.map(({ value, title }) => ({ value, title }))} />
        {ways.map(({ value, text }) => (
          <TabPanel key={value} value={value} className="p-4">
            <pre
              // It scrolls, so it must be reachable without a mouse.
              tabIndex={0}
              className="max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
            >
              {text}
            </pre>
            <div className="mt-3 flex justify-end">
              <CopyButton text={text} />
            </div>
          </TabPanel>
        ))}
      </Tabs>
    </Card>
  );
}
