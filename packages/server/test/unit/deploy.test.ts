import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/kernel/observability/metrics.ts';
import { metricDefinitions } from '../../src/processes/modules.ts';
import { settingNames } from '../../src/settings.ts';

const repository = resolve(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const readAll = (pattern: string) =>
  globSync(pattern, { cwd: repository })
    .map((path) => read(path))
    .join('\n');
const matches = (text: string, pattern: RegExp) =>
  new Set([...text.matchAll(pattern)].map(([, found]) => found as string));

const settings: ReadonlySet<string> = new Set(settingNames);
const monitoring = () => read('deploy/prometheus/alerts.yaml') + read('deploy/grafana/tastegraph.json');
const longestEndSeconds = 65;

test('alerts and the dashboard name metrics that exist, and show all of ours', async () => {
  const exposed = matches(await createMetrics(metricDefinitions).read(), /^# TYPE (\S+)/gm);
  const named = matches(monitoring(), /\b((?:tastegraph|nodejs|process)_[a-z0-9_]+)/g);
  const base = (name: string) => (exposed.has(name) ? name : name.replace(/_(bucket|count|sum)$/, ''));
  const used = new Set([...named].map(base));
  expect([...used].filter((name) => !exposed.has(name))).toEqual([]);
  const ours = [...exposed].filter((name) => name.startsWith('tastegraph_'));
  // How many models there are is in their bytes.
  expect(ours.filter((name) => !used.has(name))).toEqual(['tastegraph_models_in_memory']);
});

test('every alert has its paragraph in the page that it names', () => {
  const alerts = [...matches(read('deploy/prometheus/alerts.yaml'), /alert: (\w+)/g)];
  const anchors = matches(
    read('deploy/prometheus/alerts.yaml'),
    /runbook: docs\/operations\/monitoring\.md#(\w+)/g,
  );
  const headings = matches(read('docs/operations/monitoring.md'), /^#+ (\w+)$/gm);
  expect(alerts.length).toBeGreaterThan(5);
  expect(alerts.filter((name) => !headings.has(name))).toEqual([]);
  expect([...anchors]).toEqual(alerts.map((name) => name.toLowerCase()));
});

/** Names that are set for others than the server. */
const others = new Set(['NODE_ENV', 'NODE_COMPILE_CACHE']);

test.each([
  ['Dockerfile', () => matches(read('deploy/Dockerfile').match(/^ENV .*/m)?.[0] ?? '', /\b([A-Z_]{3,})=/g)],
  ['compose.yaml', () => matches(serverPart(read('compose.yaml')), /^ {4}([A-Z][A-Z_]+):/gm)],
  ['systemd units', () => matches(readAll('deploy/systemd/*.service'), /\b([A-Z][A-Z_]{3,})=/g)],
  ['tastegraph.env', () => matches(read('deploy/systemd/tastegraph.env'), /^#?([A-Z_]+)=/gm)],
  [
    'Helm chart',
    () => matches(readAll('deploy/helm/tastegraph/templates/*'), /(?:^|name: )([A-Z][A-Z_]{3,})(?::|$)/gm),
  ],
])('%s: sets what the server reads', (_name, names) => {
  const set = names();
  expect(set.size).toBeGreaterThan(3);
  expect([...set].filter((name) => !settings.has(name) && !others.has(name))).toEqual([]);
});

/** What all roles share in compose.yaml; the other services' settings are theirs. */
const serverPart = (text: string) => text.slice(0, text.indexOf('\nservices:'));

test('whoever stops a process waits until it can have ended in order', () => {
  const drain = Number(/DRAIN_SECONDS=(\d+)/.exec(read('deploy/Dockerfile'))?.[1]);
  const chart = read('deploy/helm/tastegraph/values.yaml');
  const waits = [
    ...matches(readAll('deploy/systemd/tastegraph-[asw]*.service'), /^TimeoutStopSec=(\d+)$/gm),
    ...matches(serverPart(read('compose.yaml')), /stop_grace_period: (\d+)s/g),
    ...matches(chart, /^terminationGracePeriodSeconds: (\d+)$/gm),
  ].map(Number);
  expect(waits).toHaveLength(3);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(drain + longestEndSeconds);
});
