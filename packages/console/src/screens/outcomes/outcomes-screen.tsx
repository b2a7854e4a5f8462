import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { MousePointerClick } from 'lucide-react';
import { useState } from 'react';
import { Card, PageHeader } from '../../components/card.tsx';
import { SelectField } from '../../components/field.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { formatAgo } from '../../format.ts';
import { useModels } from '../../use/models.ts';
import { projectPath, useProject } from '../../use/projects.ts';
import { FindRecommendation } from './find-recommendation.tsx';
import { HowToSend } from './how-to-send.tsx';
import { OutcomesChart } from './outcomes-chart.tsx';
import { OutcomesTable } from './outcomes-table.tsx';
import { useOutcomes } from './use-outcomes.ts';

const screen = `${projectPath}/outcomes` as const;

/** What users did after recommendations, beside what they did without them. */
export function OutcomesScreen() {
  const { recommendation } = useSearch({ from: `/signed-in${screen}` });
  const navigate = useNavigate({ from: screen });
  const { target_event_type: target } = useProject();
  const [days, setDays] = useState(30);
  const outcomes = useOutcomes(days);
  const models = useModels();
  const nameOfModel = (modelId: string | null) =>
    modelId === null
      ? 'no model'
      : (models.data?.find(({ model_id }) => model_id === modelId)?.name ?? modelId);
  return (
    <>
      <PageHeader
        title="Outcomes"
        hint={`What users did after recommendations, and without them. The target event is “${target}”.`}
        actions={
          <SelectField
            label="Time range"
            hideLabel
            value={String(days)}
            choices={[7, 30, 60].map((count) => [String(count), `${count} days`] as const)}
            onChange={(count) => setDays(Number(count))}
          />
        }
      />
      <QueryView query={outcomes} lines={8}>
        {(found) =>
          found.totals.length === 0 ? (
            <Card className="mb-4">
              <EmptyState icon={MousePointerClick} title="No outcomes yet">
                Once your application asks for recommendations, their clicks and {target} events are counted
                here, a few minutes later. Send the ID of the response back with the events that follow it:
              </EmptyState>
              <HowToSend />
            </Card>
          ) : (
            <>
              <OutcomesChart outcomes={found} nameOfModel={nameOfModel} />
              <OutcomesTable outcomes={found} target={target} nameOfModel={nameOfModel} />
              <p className="mb-4 text-sm text-muted">
                {found.attributed_ts === null
                  ? 'Events have not been attributed yet.'
                  : `Events were last attributed ${formatAgo(found.attributed_ts)}.`}{' '}
                An event counts for a response that recommended the item to the user at most{' '}
                {found.attribution_hours} hours before: for the one that it names, or else for the last one.
                Users who follow recommendations often buy more anyway: to know what recommendations cause,
                run an{' '}
                <Link
                  from={projectPath}
                  to={`${projectPath}/experiments`}
                  className="text-accent-text underline"
                >
                  experiment
                </Link>
                .
              </p>
              <details className="mb-4 rounded-lg border border-line bg-card">
                <summary className="cursor-pointer px-4 py-3 font-semibold">
                  How to link events to recommendations
                </summary>
                <HowToSend />
              </details>
            </>
          )
        }
      </QueryView>
      <FindRecommendation
        chosen={recommendation}
        onChoose={(next) => void navigate({ search: { recommendation: next }, replace: true })}
        nameOfModel={nameOfModel}
      />
    </>
  );
}
