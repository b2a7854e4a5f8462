import type { Project } from '../../use/projects.ts';

type Connected = Pick<Project, 'project_id' | 'event_dataset_id' | 'target_event_type'>;

/** With the names that a reader replaces: only IDs of the project are real, and no secret is in the page. */
export function snippetsAsSdk(project: Connected, baseUrl: string): string {
  const { project_id, event_dataset_id, target_event_type } = project;
  return `import { Tastegraph } from '@tastegraph/sdk';

const client = new Tastegraph({
  baseUrl: '${baseUrl}',
  apiKey: process.env.TASTEGRAPH_API_KEY ?? '',
  apiSecret: process.env.TASTEGRAPH_API_SECRET ?? '',
});

// When a user does something:
await client.upsertDatasetEvents({
  event_dataset_id: '${event_dataset_id}',
  events: [
    {
      event_id: 'EVENT_ID',
      user_id: 'USER_ID',
      item_id: 'ITEM_ID',
      ts: Date.now(),
      event_type: ${JSON.stringify(target_event_type)},
    },
  ],
});

// When a page shows recommendations:
const { results } = await client.recommendItemsToUser({
  project_id: '${project_id}',
  user_id: 'USER_ID',
  limit: 10,
});`;
}

export function snippetsAsCurl(project: Connected, baseUrl: string): string {
  const { project_id, event_dataset_id, target_event_type } = project;
  const call = (path: string, body: string) =>
    `curl -sS ${baseUrl}${path} -H "Authorization: Bearer $TOKEN" \\
  -H "APIKey: $TASTEGRAPH_API_KEY" -H 'Content-Type: application/json' -d @- <<END
${body}
END`;
  const event = `{"event_id": "EVENT_ID", "user_id": "USER_ID", "item_id": "ITEM_ID", "ts": $(date +%s)000, "event_type": ${JSON.stringify(target_event_type)}}`;
  return `TOKEN=$(curl -sS ${baseUrl}/oauth/token -d client_id=$TASTEGRAPH_API_KEY -d client_secret=$TASTEGRAPH_API_SECRET \\
  -d scope='/upsert-dataset-events /recommend-items-to-user' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

# When a user does something:
${call('/upsert-dataset-events', `{"event_dataset_id": "${event_dataset_id}", "events": [${event}]}`)}

# When a page shows recommendations:
${call('/recommend-items-to-user', `{"project_id": "${project_id}", "user_id": "USER_ID", "limit": 10}`)}`;
}
