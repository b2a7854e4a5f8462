import type { Project } from '../../use/projects.ts';

type Connected = Pick<Project, 'project_id' | 'event_dataset_id'>;

/** How an application sends the ID of the response back with an event. */
export function outcomeSnippets({ project_id, event_dataset_id }: Connected, baseUrl: string) {
  const sdk = `// 1. Keep the ID of the response with the items that you show:
const { recommendation_id, results } = await client.recommendItemsToUser({
  project_id: '${project_id}',
  user_id: 'USER_ID',
  limit: 10,
});
const links = results.map(({ item }) => \`/items/\${item.item_id}?rec=\${recommendation_id}\`);

// 2. When the user opens or buys one of them, send it with the event:
await client.upsertDatasetEvents({
  event_dataset_id: '${event_dataset_id}',
  events: [
    {
      event_id: 'EVENT_ID',
      user_id: 'USER_ID',
      item_id: 'ITEM_ID',
      ts: Date.now(),
      event_type: 'view',
      recommendation_id, // from the link: ?rec=…
    },
  ],
});`;
  const curl = `# The response of /recommend-items-to-user has the field recommendation_id. Send it with the event:
curl -sS ${baseUrl}/upsert-dataset-events -H "Authorization: Bearer $TOKEN" \\
  -H "APIKey: $TASTEGRAPH_API_KEY" -H 'Content-Type: application/json' -d @- <<END
{"event_dataset_id": "${event_dataset_id}", "events": [{"event_id": "EVENT_ID", "user_id": "USER_ID",
  "item_id": "ITEM_ID", "ts": $(date +%s)000, "event_type": "view", "recommendation_id": "RECOMMENDATION_ID"}]}
END`;
  return { sdk, curl };
}
