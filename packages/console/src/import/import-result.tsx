import type { ImportReport } from '@tastegraph/sdk';
import { CircleCheck } from 'lucide-react';
import { DoneButton } from '../components/dialog.tsx';
import { Table } from '../components/table.tsx';
import { formatNumberOf } from '../format.ts';
import type { Rejection } from './run-import.ts';

interface ImportResultProps {
  readonly report: ImportReport;
  readonly rejections: readonly Rejection[];
  readonly onClose: () => void;
}

export function ImportResult({ report, rejections, onClose }: ImportResultProps) {
  return (
    <div className="space-y-4">
      <p role="status" className="flex items-center gap-2 font-medium">
        <CircleCheck className="size-5 text-good" aria-hidden />
        {formatNumberOf(report.succeeded, 'record')} imported
        {report.failed > 0 && `, ${formatNumberOf(report.failed, 'row')} rejected`}
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
