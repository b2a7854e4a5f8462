import clsx from 'clsx';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { Button, type ButtonLook, IconButton } from './button.tsx';

interface DialogProps {
  /** By default, for as long as it is rendered. */
  readonly open?: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps) {
  const { open = true, onClose, title, description, wide = false, children } = props;
  return (
    <Radix.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Radix.Content
          // Radix warns unless the absence of a description is explicit.
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={clsx(
            'fixed top-1/2 left-1/2 z-50 max-h-[90dvh] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-lg border border-line bg-card p-5 text-ink shadow-xl',
            wide ? 'max-w-3xl' : 'max-w-md',
          )}
        >
          <div className="mb-3 flex items-start gap-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close">
                <X aria-hidden />
              </IconButton>
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Closes a dialog that has shown what it was opened for. */
export function DoneButton({ onClose }: Pick<DialogProps, 'onClose'>) {
  return (
    <div className="flex justify-end">
      <Button look="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  );
}

interface DialogButtonProps extends Pick<DialogProps, 'title' | 'description' | 'wide'> {
  readonly icon: ReactNode;
  /** What the button says. */
  readonly label: string;
  readonly look?: ButtonLook;
  readonly children: (onClose: () => void) => ReactNode;
}

/** A button and the dialog that it opens. */
export function DialogButton({ icon, label, look = 'primary', children, ...rest }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button look={look} onClick={() => setOpen(true)}>
        {icon} {label}
      </Button>
      <Dialog open={isOpen} onClose={close} {...rest}>
        {children(close)}
      </Dialog>
    </>
  );
}

/** One dialog at a time, which is rendered from the call of `show` until it closes itself. */
export function useDialog() {
  const [dialog, setDialog] = useState<ReactNode>();
  const close = () => setDialog(undefined);
  return { dialog, show: (render: (onClose: () => void) => ReactNode) => setDialog(render(close)) };
}
