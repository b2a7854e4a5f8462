import type { Response } from '@tastegraph/sdk';
import { CircleCheck, CircleX, Info, TriangleAlert } from 'lucide-react';
import { formatBytes, formatCount, formatNumberOf, formatSeconds } from '../format.ts';

type Check = Response<'checkTraining'>;

const looks = {
  ERROR: { Icon: CircleX, className: 'text-bad', label: 'Error' },
  WARNING: { Icon: TriangleAlert, className: 'text-warn', label: 'Warning' },
  INFO: { Icon: Info, className: 'text-info', label: 'Note' },
} as const;

/** The findings of `/check-training`, most severe first. */
export function Findings({ check }: { check: Check }) {
  const { findings, estimate, counts, sampled } = check;
  return (
    <ul className="divide-y divide-line">
      {findings.map(({ severity, code, message }) => {
        const { Icon, className, label } = looks[severity];
        return (
          <li key={code} className="flex gap-3 px-4 py-2.5">
            <Icon className={`mt-0.5 size-4 shrink-0 ${className}`} aria-label={label} />
            <p className="min-w-0 break-words">{message}</p>
          </li>
        );
      })}
      {findings.length === 0 && (
        <li className="flex gap-3 px-4 py-2.5">
          <CircleCheck className="mt-0.5 size-4 shrink-0 text-good" aria-label="Good" />
          <p>No problems found: {formatNumberOf(counts.target_events, 'target event')} to learn from.</p>
        </li>
      )}
      {check.can_train && (
        <li className="px-4 py-2.5 text-sm text-muted">
          Training would take about {formatSeconds(estimate.seconds)}, longer while the machine is busy, and{' '}
          {formatBytes(estimate.memory_bytes)} of memory.
          {sampled && ' Counts are estimated from a sample.'}
        </li>
      )}
    </ul>
  );
}

/** The event types by frequency. */
export function EventTypeBars({ check }: { check: Check }) {
  const most = Math.max(...check.event_types.map(({ count }) => count), 1);
  return (
    <table className="w-full">
      <thead className="sr-only">
        <tr>
          <th scope="col">Event type</th>
          <th scope="col">Share</th>
          <th scope="col">Events</th>
        </tr>
      </thead>
      <tbody>
        {check.event_types.map(({ event_type, count, is_target }) => (
          <tr key={event_type}>
            <th scope="row" className="w-1/4 max-w-40 truncate py-1 pr-3 text-left font-normal">
              {event_type}
              {is_target && <span className="ml-1.5 text-xs text-muted">target</span>}
            </th>
            <td className="py-1">
              <div className="h-3 rounded bg-sunken" aria-hidden>
                <div
                  className={is_target ? 'h-full rounded bg-accent' : 'h-full rounded bg-line-strong'}
                  style={{ width: `${Math.max(1, (count / most) * 100)}%` }}
                />
              </div>
            </td>
            <td className="w-24 py-1 pl-3 text-right tabular-nums">{formatCount(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
