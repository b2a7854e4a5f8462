import { Link, useSearch } from '@tanstack/react-router';
import { Plus, SlidersHorizontal } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';
import { buttonClass } from '../../components/button.tsx';
import { Card, PageHeader } from '../../components/card.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { TableHead } from '../../components/table.tsx';
import { formatAgo, formatTime } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { projectPath } from '../../use/projects.ts';
import { type Scenario, settingsOf, useScenarios } from '../../use/scenarios.ts';
import { questionLabels } from './questions.ts';
import { ScenarioEditor } from './scenario-editor.tsx';
import { fieldLabels } from './settings.ts';

const screen = `${projectPath}/scenarios` as const;

/** The scenarios of the project, or one of them to edit. */
export function ScenariosScreen() {
  const { scenario, isNew } = useSearch({ from: `/signed-in${screen}` });
  const scenarios = useScenarios();
  if (isNew === true) return <ScenarioEditor key="new" scenario={undefined} />;
  return (
    <QueryView query={scenarios} lines={8}>
      {(list) => {
        const opened = list.find(({ name }) => name === scenario);
        return opened ? (
          <ScenarioEditor key={`${opened.name} ${opened.version}`} scenario={opened} />
        ) : (
          <ScenarioList scenarios={list} />
        );
      }}
    </QueryView>
  );
}

function ScenarioList({ scenarios }: { scenarios: readonly Scenario[] }) {
  const canCreate = useMay('createScenario');
  const newButton = canCreate && (
    <Link from={screen} to={screen} search={{ isNew: true }} className={buttonClass('primary')}>
      <Plus aria-hidden /> New scenario
    </Link>
  );
  return (
    <>
      <PageHeader
        title="Scenarios"
        hint="What each place in your shop recommends. Calls send the name of a scenario instead of its rules."
        actions={scenarios.length > 0 && newButton}
      />
      <Card>
        {scenarios.length === 0 ? (
          <EmptyState
            icon={<SlidersHorizontal aria-hidden />}
            title="No scenario yet"
            action={newButton || undefined}
          >
            Create one for each place where you show recommendations, such as “home” or “cart”. Calls send{' '}
            <code className="text-ink">{'"scenario": "home"'}</code>; the rules change here, without a release
            of your shop. On the command line: <code className="text-ink">tastegraph scenarios</code>.
          </EmptyState>
        ) : (
          <ScenarioTable scenarios={scenarios} />
        )}
      </Card>
    </>
  );
}

function ScenarioTable({ scenarios }: { scenarios: readonly Scenario[] }) {
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full min-w-140">
        <TableHead
          columns={[
            { title: 'Scenario' },
            { title: 'Recommends' },
            { title: 'Rules' },
            { title: 'Version', isNumber: true },
            { title: 'Changed', padding: 'pr-4 pl-8' },
          ]}
        />
        <tbody className="divide-y divide-line">
          {scenarios.map((scenario) => (
            <tr key={scenario.name}>
              <th scope="row" className="max-w-60 px-4 py-2.5 text-left font-medium">
                <Link
                  from={screen}
                  to={screen}
                  search={{ scenario: scenario.name }}
                  className="block truncate text-accent-text hover:underline"
                >
                  {scenario.name}
                </Link>
              </th>
              <td className="px-2 py-2.5 whitespace-nowrap">{questionLabels[scenario.question]}</td>
              <td className="px-2 py-2.5">
                <span className="flex flex-wrap gap-1">
                  {Object.keys(settingsOf(scenario)).map((field) => (
                    <Badge key={field}>{fieldLabels[field as keyof typeof fieldLabels]}</Badge>
                  ))}
                </span>
              </td>
              <td className="px-2 py-2.5 text-right tabular-nums">{scenario.version}</td>
              <td className="py-2.5 pr-4 pl-8 whitespace-nowrap" title={formatTime(scenario.updated_ts)}>
                {formatAgo(scenario.updated_ts)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
