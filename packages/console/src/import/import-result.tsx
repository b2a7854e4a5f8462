import type { ImportReport } from '@tastegraph/sdk';
import { CircleCheck, CircleX } from 'lucide-react';
import { DoneButton } from '../components/dialog.tsx';
import { Table } from '../components/table.tsx';
import { accountOf, type Rejection } from './run-import.ts';

interface ImportResultProps {
  readonly report: ImportReport;
  readonly rejections: readonly Rejection[];
  readonly onClose: () => void;
}

export function ImportResult({ report, rejections, onClose }: ImportResultProps) {
  const failed = report.succeeded === 0 && report.sent > 0;
  return (
    <div className="space-y-4">
      <p role="status" className={`flex items-center gap-2 font-medium ${failed ? 'text-bad' : ''}`}>
        {failed ? (
          <CircleX className="size-5" aria-hidden />
        ) : (
          <CircleCheck className="size-5 text-good" aria-hidden />
        )}
        {accountOf(report)}
      </p>
      {rejections.length > 0 && (
        <div className="max-h-72 overflow-auto rounded-md border border-line">
          <Table
            rows={rejections}
            keyOf={({ line }) => String(line)}
            columns={[
              { title: 'Line', className: 'tabular-nums', cell: ({ line }) => line },
              { title: 'ID', className: 'max-w-40 truncate', cell: ({ id }) => id ?? '–' },
              { title: 'Why', cell: ({ message }) => message },
            ]}
          />
        </div>
      )}
      <DoneButton onClose={onClose} />
    </div>
  );
}
