import { readFileSync, writeFileSync } from 'node:fs';
import { requirementOf, type SettingSchema, settingNames, settingSchemas } from './src/settings.ts';

/** Writes docs/reference/settings.md from the settings. With `--check`, writes nothing and fails if the file is stale. */
const path = 'docs/reference/settings.md';
const file = new URL(`../../${path}`, import.meta.url);

const rows = settingNames.map((name) => {
  const schema = settingSchemas[name];
  const cells = [`\`${name}\``, defaultOf(schema), requirementOf(schema) ?? 'text', descriptionOf(schema)];
  return `| ${cells.join(' | ')} |`;
});

const text = `# Settings

<!-- Generated from packages/server/src/settings.ts by npm run generate; do not edit. -->

All processes read their settings from the environment. An empty value means that the setting is not set. A process checks
all settings before it starts, and reports every invalid one with what to set. It never prints values.
[Running Tastegraph](../operations/running.md) describes how to start the processes.

| setting | default | must be | |
|---|---|---|---|
${rows.join('\n')}
`;

if (read() !== text) {
  if (process.argv.includes('--check')) {
    console.error(`${path} is stale: run "npm run generate" and commit the result.`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    console.log(`wrote ${path}`);
  }
}

function defaultOf(schema: SettingSchema): string {
  if (schema['x-default'] !== undefined) return schema['x-default'];
  if (schema.default === undefined) return 'required';
  return typeof schema.default === 'string' ? `\`${schema.default}\`` : String(schema.default);
}

function descriptionOf({ description = '', 'x-formerly': earlier }: SettingSchema): string {
  if (earlier === undefined) return description;
  return `${description} \`${earlier}\`, its earlier name, is deprecated: it still works, and the next major version removes it.`;
}

function read(): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
