import { CopyButton } from '../../components/copy-button.tsx';
import { TabList, TabPanel, Tabs } from '../../components/tabs.tsx';
import { useProject } from '../../use/projects.ts';
import { outcomeSnippets } from './snippets.ts';

/** Code to copy that links events to the response that led to them. */
export function HowToSend() {
  const project = useProject();
  const { sdk, curl } = outcomeSnippets(project, location.origin);
  const ways = [
    { value: 'sdk', title: 'TypeScript', text: sdk },
    { value: 'curl', title: 'curl', text: curl },
  ];
  return (
    <Tabs defaultValue="sdk" className="text-left">
      <TabList label="Language" tabs={ways.map(({ value, title }) => ({ value, title }))} />
      {ways.map(({ value, text }) => (
        <TabPanel key={value} value={value} className="p-4">
          <pre
            // It scrolls, so it must be reachable without a mouse.
            tabIndex={0}
            className="max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
          >
            {text}
          </pre>
          <div className="mt-3 flex flex-wrap items-center justify-between gap-2">
            <p className="max-w-xl text-sm text-muted">
              An event without <code>recommendation_id</code> counts for the last response that recommended
              the item to this user, within {project.attribution_hours} hours.
            </p>
            <CopyButton text={text} />
          </div>
        </TabPanel>
      ))}
    </Tabs>
  );
}
