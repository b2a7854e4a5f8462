import { Code } from 'lucide-react';
import { CodeTabs } from '../../components/code-tabs.tsx';
import { DialogButton } from '../../components/dialog.tsx';
import { asCli, asCurl, asSdk, type RecommendCall } from './call-text.ts';

export function CopyCall({ call }: { call: RecommendCall }) {
  const baseUrl = location.origin;
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
        <CodeTabs
          ways={[
            { title: 'curl', text: asCurl(call, baseUrl) },
            { title: 'TypeScript', text: asSdk(call, baseUrl) },
            { title: 'Command line', text: asCli(call) },
          ]}
        />
      )}
    </DialogButton>
  );
}
