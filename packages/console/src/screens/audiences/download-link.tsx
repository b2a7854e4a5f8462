import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '../../components/button.tsx';

/** A signed link: the file is saved, the page stays. */
export function DownloadLink({ url, children }: { url: string; children: ReactNode }) {
  return (
    <a href={url} download className={buttonClass()}>
      <Download aria-hidden /> {children}
    </a>
  );
}
