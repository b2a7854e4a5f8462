import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import { TabList, TabPanel, Tabs } from './tabs.tsx';

interface CodeTabsProps {
  readonly ways: readonly { readonly title: string; readonly text: string }[];
  /** Beside the button that copies. */
  readonly note?: ReactNode;
}

/** The same code in several languages. */
export function CodeTabs({ ways, note }: CodeTabsProps) {
  return (
    <Tabs defaultValue="0" className="text-left">
      {/* A value is part of IDs, which have no spaces. */}
      <TabList label="Language" tabs={ways.map(({ title }, index) => ({ value: String(index), title }))} />
      {ways.map(({ title, text }, index) => (
        <TabPanel key={title} value={String(index)} className="p-4">
          <pre
            // It scrolls, so it must be reachable without a mouse.
            tabIndex={0}
            className="max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
          >
            {text}
          </pre>
          <div className="mt-3 flex flex-wrap items-center justify-between gap-2">
            {note !== undefined && <p className="max-w-xl text-sm text-muted">{note}</p>}
            <span className="ml-auto">
              <CopyButton text={text} />
            </span>
          </div>
        </TabPanel>
      ))}
    </Tabs>
  );
}
