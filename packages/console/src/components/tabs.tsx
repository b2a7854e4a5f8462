import { Tabs as Radix } from 'radix-ui';

export const Tabs = Radix.Root;
export const TabPanel = Radix.Content;

/** The tab of the address may be beyond the edge of a narrow screen. */
function showActive(trigger: HTMLButtonElement | null): void {
  const list = trigger?.parentElement;
  if (trigger?.dataset['state'] !== 'active' || !list) return;
  const end = trigger.offsetLeft - list.offsetLeft + trigger.offsetWidth;
  if (end > list.clientWidth) list.scrollLeft = end - list.clientWidth / 2;
}

/** The names of the tabs, which scroll sideways on a narrow screen. */
export function TabList(props: {
  label: string;
  tabs: readonly { readonly value: string; readonly title: string }[];
}) {
  const { label, tabs } = props;
  return (
    <Radix.List
      aria-label={label}
      className="flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line px-3 [scrollbar-width:none]"
    >
      {tabs.map(({ value, title }) => (
        <Radix.Trigger
          key={value}
          value={value}
          ref={showActive}
          className="-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-muted focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:font-medium data-[state=active]:text-ink"
        >
          {title}
        </Radix.Trigger>
      ))}
    </Radix.List>
  );
}
