import { memo } from 'react';
import { Card } from '../../components/card.tsx';
import { EventTypeBars, Findings } from '../../components/findings.tsx';
import { QueryView } from '../../components/states.tsx';
import { formatTime } from '../../format.ts';
import { useTrainingCheck } from '../../use/datasets.ts';

export const EventTypesCard = memo(function EventTypesCard() {
  const check = useTrainingCheck();
  return (
    <Card
      title="All events by type"
      hint={
        typeof check.data?.first_ts === 'number' &&
        check.data.last_ts !== null &&
        `${formatTime(check.data.first_ts)} to ${formatTime(check.data.last_ts)}`
      }
    >
      <QueryView query={check}>
        {(found) => (
          <div className="px-4 py-3">
            {found.event_types.length === 0 ? (
              <p className="text-muted">
                No events yet. After an import, this card shows how many there are of each type.
              </p>
            ) : (
              <EventTypeBars check={found} />
            )}
          </div>
        )}
      </QueryView>
    </Card>
  );
});

/** What a training would find, if it is worth a look. */
export const FindingsCard = memo(function FindingsCard() {
  const { data } = useTrainingCheck();
  if (!data?.findings.some(({ severity }) => severity !== 'INFO')) return null;
  return (
    <Card title="Data check" hint="problems that a training would find" className="mt-4">
      <Findings check={data} />
    </Card>
  );
});
