import clsx from 'clsx';
import { DropdownMenu } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';

export const Menu = DropdownMenu.Root;
export const MenuTrigger = DropdownMenu.Trigger;

export function MenuContent({ children, align = 'end' }: { children: ReactNode; align?: 'start' | 'end' }) {
  return (
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        align={align}
        sideOffset={6}
        collisionPadding={8}
        className="z-50 max-h-96 min-w-48 overflow-y-auto rounded-md border border-line bg-card p-1 text-ink shadow-lg"
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  );
}

export const itemClass =
  'flex w-full items-center gap-2 rounded px-2 py-1.5 text-left outline-none data-highlighted:bg-sunken [&_svg]:size-4 [&_svg]:text-muted';

export function MenuItem({ className, ...rest }: ComponentProps<typeof DropdownMenu.Item>) {
  return <DropdownMenu.Item className={clsx(itemClass, className)} {...rest} />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2 pt-1.5 pb-1 text-xs text-muted">{children}</DropdownMenu.Label>;
}

export const MenuLine = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />;
