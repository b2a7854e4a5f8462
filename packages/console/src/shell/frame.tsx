import { BookOpen, Menu as MenuIcon, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { IconButton } from '../components/button.tsx';
import { useAccess } from '../session/access.tsx';
import { Logo } from './logo.tsx';
import { PersonMenu } from './person-menu.tsx';
import { ThemeMenu } from './theme-menu.tsx';

/** Side bar, top bar and content. On a phone, the side bar is a drawer. */
export function Frame(props: {
  nav: (onNavigate: () => void) => ReactNode;
  /** The name of the project that is open. */
  project?: string | undefined;
  children: ReactNode;
}) {
  const { nav, project, children } = props;
  const { account } = useAccess();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-card px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh w-56 shrink-0 flex-col border-r border-line bg-card md:flex">
        <div className="flex h-13 items-center px-4">
          <Logo />
        </div>
        <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-3 py-2">{nav(() => undefined)}</div>
        <DocsLink />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-20 flex h-13 items-center gap-2 border-b border-line bg-card px-4 md:px-6">
          <Dialog.Root open={isOpen} onOpenChange={setOpen}>
            <Dialog.Trigger asChild>
              <IconButton label="Navigation" className="-ml-2 md:hidden">
                <MenuIcon aria-hidden />
              </IconButton>
            </Dialog.Trigger>
            <Dialog.Portal>
              <Dialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
              <Dialog.Content
                aria-describedby={undefined}
                className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] flex-col border-r border-line bg-card"
              >
                <div className="flex h-13 items-center justify-between px-4">
                  <Dialog.Title>
                    <Logo />
                  </Dialog.Title>
                  <Dialog.Close asChild>
                    <IconButton label="Close">
                      <X aria-hidden />
                    </IconButton>
                  </Dialog.Close>
                </div>
                <div className="min-h-0 flex-1 overflow-y-auto px-3 py-2">{nav(() => setOpen(false))}</div>
                <DocsLink />
              </Dialog.Content>
            </Dialog.Portal>
          </Dialog.Root>
          <span className="truncate text-muted">
            {account.name}
            {project !== undefined && (
              <>
                {' / '}
                <span className="text-ink">{project}</span>
              </>
            )}
          </span>
          <div className="ml-auto flex items-center gap-2">
            <ThemeMenu />
            <PersonMenu />
          </div>
        </header>
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-[1440px] flex-1 p-4 outline-none md:p-6"
        >
          {children}
        </main>
      </div>
    </div>
  );
}

function DocsLink() {
  return (
    <a
      href="/docs"
      className="flex items-center gap-2 border-t border-line px-6 py-3 text-muted hover:text-ink [&_svg]:size-4"
    >
      <BookOpen aria-hidden /> API reference
    </a>
  );
}
