import { Link, useSearch } from '@tanstack/react-router';
import { Plus, SlidersHorizontal } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';
import { buttonClass } from '../../components/button.tsx';
import { Card, PageHeader } from '../../components/card.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { Table, timeColumn } from '../../components/table.tsx';
import { useMay } from '../../session/access.tsx';
import { projectPath } from '../../use/projects.ts';
import { type Scenario, settingsOf, useScenarios } from '../../use/scenarios.ts';
import { ScenarioEditor } from './scenario-editor.tsx';
import { fieldLabels, questionLabels } from './settings.ts';

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
          <EmptyState icon={SlidersHorizontal} title="No scenario yet" action={newButton || undefined}>
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
    <Table
      rows={scenarios}
      keyOf={({ name }) => name}
      className="min-w-140"
      columns={[
        {
          title: 'Scenario',
          isRowHeading: true,
          className: 'max-w-60',
          cell: ({ name }) => (
            <Link
              from={screen}
              to={screen}
              search={{ scenario: name }}
              className="block truncate text-accent-text hover:underline"
            >
              {name}
            </Link>
          ),
        },
        {
          title: 'Recommends',
          className: 'whitespace-nowrap',
          cell: ({ question }) => questionLabels[question],
        },
        {
          title: 'Rules',
          cell: (scenario) => (
            <span className="flex flex-wrap gap-1">
              {Object.keys(settingsOf(scenario)).map((field) => (
                <Badge key={field}>{fieldLabels[field as keyof typeof fieldLabels]}</Badge>
              ))}
            </span>
          ),
        },
        { title: 'Version', isNumber: true, cell: ({ version }) => version },
        { ...timeColumn('Changed', 'updated_ts'), padding: 'pr-4 pl-8' },
      ]}
    />
  );
}
