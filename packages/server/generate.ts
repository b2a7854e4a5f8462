import { writeGenerated } from '@tastegraph/dev/generated-files';
import { requirementOf, type SettingSchema, settingNames, settingSchemas } from './src/settings.ts';

/** Generates the reference page of the settings. */
const rows = settingNames.map((name) => {
  const schema = settingSchemas[name];
  const cells = [`\`${name}\``, defaultOf(schema), requirementOf(schema) ?? 'text', schema.description];
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

writeGenerated({ 'docs/reference/settings.md': text });

function defaultOf(schema: SettingSchema): string {
  if (schema['x-default'] !== undefined) return schema['x-default'];
  if (schema.default === undefined) return 'required';
  return typeof schema.default === 'string' ? `\`${schema.default}\`` : String(schema.default);
}
