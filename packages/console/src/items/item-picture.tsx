import clsx from 'clsx';
import { useState } from 'react';

const hues = [174, 210, 262, 24, 340, 140, 48, 190];

function hueOf(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return hues[sum % hues.length] ?? 174;
}

/** The item's picture, or a tile with its first letters where there is none or it does not load. */
export function ItemPicture(props: { src: string | undefined; title: string; className: string }) {
  const { src, title, className } = props;
  const [failed, setFailed] = useState<string>();
  const shape = clsx('shrink-0 overflow-hidden rounded-md', className);
  if (src !== undefined && src !== failed)
    return (
      <img
        src={src}
        alt=""
        loading="lazy"
        referrerPolicy="no-referrer"
        className={clsx(shape, 'bg-sunken object-cover')}
        onError={() => setFailed(src)}
      />
    );
  const hue = hueOf(title);
  const letters = title
    .replaceAll(/[^\p{L}\p{N}\s]/gu, '')
    .split(/\s+/)
    .filter((word) => word.length > 0)
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('');
  return (
    <span
      aria-hidden
      className={clsx(shape, 'flex items-center justify-center text-xs font-semibold')}
      style={{ background: `oklch(0.88 0.05 ${hue})`, color: `oklch(0.35 0.08 ${hue})` }}
    >
      {letters || '·'}
    </span>
  );
}
