import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from './button.tsx';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState('');
  const isCopied = copied === text;
  return (
    <Button onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}>
      {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
      {isCopied ? 'Copied' : label}
    </Button>
  );
}

/** Where there is no room for words. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState('');
  const isCopied = copied === text;
  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
    >
      {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  );
}
