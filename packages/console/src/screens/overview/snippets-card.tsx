import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { projectPath, useProject } from '../../use/projects.ts';
import { snippetsAsCurl, snippetsAsSdk } from './snippets.ts';

/** How an application sends events and asks for recommendations. */
export function SnippetsCard() {
  const project = useProject();
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
      <CodeTabs
        ways={[
          { title: 'TypeScript', text: snippetsAsSdk(project, location.origin) },
          { title: 'curl', text: snippetsAsCurl(project, location.origin) },
        ]}
      />
    </Card>
  );
}
