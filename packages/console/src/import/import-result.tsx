import type { ImportReport } from '@tastegraph/sdk';
import { CircleCheck } from 'lucide-react';
import { DoneButton } from '../components/dialog.tsx';
import { TableHead } from '../components/table.tsx';
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
          <table className="w-full">
            <TableHead columns={['Line', 'ID', 'Why'].map((title) => ({ title, padding: 'px-3' }))} />
            <tbody className="divide-y divide-line">
              {rejections.map(({ line, id, message }) => (
                <tr key={line}>
                  <td className="px-3 py-1.5 tabular-nums">{line}</td>
                  <td className="max-w-40 truncate px-3 py-1.5">{id ?? '–'}</td>
                  <td className="px-3 py-1.5">{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <DoneButton onClose={onClose} />
    </div>
  );
}
