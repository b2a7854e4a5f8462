/** What a step of a training looks at, for people who wait for it. */
const descriptions: Readonly<Record<string, string>> = {
  hints: 'what events say about the item itself',
  visitorHints: 'what events of visitors say about the item itself',
  outcome: 'whether to learn from events of all types',
  regression: 'how cautious to be',
  shape: 'how cautious to be with popular items',
  attributeWeight: 'how much user attributes count',
  transitions: 'how much the order of events counts',
  pairs: 'what follows two items',
  recency: 'how much newer events count',
  a: 'how much rare items count',
  fade: 'when visitors become regular users',
  dislike: 'how much dislikes count',
  repeat: 'whether users come back to items',
  'item attributes': 'how much item attributes count',
  'low-rank part': 'items that are related in a wider sense',
  support: 'items that occur together',
};

/** Of a step by its name in the search. Types are numbered there. */
export function describeStep(name: string, eventTypes: readonly string[]): string {
  const type = /event type (\d+)$/.exec(name)?.[1];
  if (type !== undefined) return `how much “${eventTypes[Number(type)] ?? type}” events count`;
  if (name.startsWith('lambda')) return descriptions['regression']!;
  return descriptions[name] ?? name;
}
