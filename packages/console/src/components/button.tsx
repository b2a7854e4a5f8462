import clsx from 'clsx';
import type { ComponentProps } from 'react';

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger';

const looks: Readonly<Record<ButtonLook, string>> = {
  primary: 'bg-accent text-accent-ink hover:opacity-90 border-transparent',
  plain: 'bg-card text-ink border-line-strong hover:bg-sunken',
  quiet: 'bg-transparent text-ink border-transparent hover:bg-sunken',
  danger: 'bg-card text-bad border-line-strong hover:bg-bad-soft',
};

/** Also for links that look like buttons. */
export const buttonClass = (look: ButtonLook = 'plain') =>
  clsx(
    'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 font-medium whitespace-nowrap',
    'disabled:cursor-not-allowed disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0',
    looks[look],
  );

export function Button(props: ComponentProps<'button'> & { look?: ButtonLook }) {
  const { look = 'plain', className, type = 'button', ...rest } = props;
  return <button type={type} className={clsx(buttonClass(look), className)} {...rest} />;
}

/** A button with a picture only; the label is for screen readers and as a tooltip. */
export function IconButton(props: ComponentProps<'button'> & { label: string }) {
  const { label, className, ...rest } = props;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={clsx(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-ink disabled:opacity-50 [&_svg]:size-4',
        className,
      )}
      {...rest}
    />
  );
}
