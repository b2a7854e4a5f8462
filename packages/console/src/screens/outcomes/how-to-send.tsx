import { CodeTabs } from '../../components/code-tabs.tsx';
import { useProject } from '../../use/projects.ts';
import { outcomeSnippets } from './snippets.ts';

/** Code to copy that links events to the response that led to them. */
export function HowToSend() {
  const project = useProject();
  const { sdk, curl } = outcomeSnippets(project, location.origin);
  return (
    <CodeTabs
      ways={[
        { title: 'TypeScript', text: sdk },
        { title: 'curl', text: curl },
      ]}
      note={
        <>
          An event without <code>recommendation_id</code> counts for the last response that recommended the
          item to this user, within {project.attribution_hours} hours.
        </>
      }
    />
  );
}
