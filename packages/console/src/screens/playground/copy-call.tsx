import { Code } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { CopyButton } from '../../components/copy-button.tsx';
import { DialogButton } from '../../components/dialog.tsx';
import { asCli, asCurl, asSdk, type RecommendCall } from './call-text.ts';

export function CopyCall({ call }: { call: RecommendCall }) {
  const baseUrl = location.origin;
  const ways = [
    { id: 'curl', label: 'curl', text: asCurl(call, baseUrl) },
    { id: 'sdk', label: 'TypeScript', text: asSdk(call, baseUrl) },
    { id: 'cli', label: 'Command line', text: asCli(call) },
  ];
  return (
    <DialogButton
      icon={<Code aria-hidden />}
      label="Copy call"
      look="plain"
      wide
      title="The same call from your code"
      description="Set TASTEGRAPH_API_KEY and TASTEGRAPH_API_SECRET to an API key of this account."
    >
      {() => (
        <Tabs.Root defaultValue="curl">
          <Tabs.List aria-label="Language" className="mb-3 flex gap-1 border-b border-line">
            {ways.map(({ id, label }) => (
              <Tabs.Trigger
                key={id}
                value={id}
                className="-mb-px border-b-2 border-transparent px-3 py-1.5 text-muted data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
              >
                {label}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          {ways.map(({ id, text }) => (
            <Tabs.Content key={id} value={id}>
              <pre tabIndex={0} className="max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs">
                {text}
              </pre>
              <div className="mt-3 flex justify-end">
                <CopyButton text={text} />
              </div>
            </Tabs.Content>
          ))}
        </Tabs.Root>
      )}
    </DialogButton>
  );
}
