import type { Request, Response } from '@tastegraph/sdk';
import { InvalidArgumentError } from 'commander';
import { exportFiles, type FileOptions, formatOption, jobNameOption, outOption } from '../export-files.ts';
import { collect } from '../find.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { type Interval, intervalChart } from '../terminal/intervals.ts';
import { table } from '../terminal/table.ts';
import { type AddCommand, parsePairs, passed, projectOption, yesOption } from './command.ts';

type Results = Response<'getExperiment'>;
type Create = Request<'createExperiment'>;
type Variant = Create['variants'][number];
type Measure = Results['results'][number]['clicked'];

interface CreateOptions {
  readonly scenario: string;
  readonly variant: Variant[];
  readonly metric?: NonNullable<Create['metric']>;
  readonly windowHours?: number;
}

export const addExperiment: AddCommand = (program) => {
  const experiment = program
    .command('experiment')
    .summary('compare models or settings on real users')
    .description('Manage experiments: users of a scenario are split between variants, which are compared.');
  experiment
    .command('list', { isDefault: true })
    .description('List the experiments of a project, newest first.')
    .option(...projectOption)
    .withProject(async ({ client, output, project_id }) => {
      const found = await collect(client.listAll('listExperiments', { project_id }));
      output.list('experiments', found, {
        none: 'No experiments yet. To create one, see `tastegraph experiment create --help`.',
        heads: ['id', 'name', 'scenario', 'state', 'since', 'verdict', 'winner'],
        row: ({ experiment_id, name, scenario, state, created_ts, verdict, winner }) => [
          experiment_id,
          name,
          scenario,
          state,
          formatTimestamp(created_ts),
          verdict,
          winner,
        ],
      });
    });
  experiment
    .command('show')
    .description(
      'Show the results of an experiment: figures per variant, the verdict, and the difference by day with intervals that you may look at as often as you like.',
    )
    .argument('<experiment>', 'ID of the experiment')
    .option(...projectOption)
    .withProject(async ({ client, output, project_id }, experiment_id) => {
      const found = await client.getExperiment({ project_id, experiment_id });
      output.result(found, () => formatResults(found));
    });
  addCreate(experiment);
  experiment
    .command('export')
    .description(
      'Export which user was exposed to which variant, and when, in the columns of an assignment table of GrowthBook. Waits for the job and downloads its files.',
    )
    .argument('<experiment>', 'ID of the experiment')
    .option(...projectOption)
    .addOption(formatOption())
    .option(...jobNameOption)
    .option(...outOption)
    .withProject<FileOptions>(async ({ options, project_id, ...session }, experiment_id) => {
      await exportFiles(session, 'exposures', options, { project_id, experiment_id });
    });
  experiment
    .command('stop')
    .description('Stop an experiment. With --promote, all users get that variant from then on.')
    .argument('<experiment>', 'ID of the experiment')
    .option('--promote <variant>', 'deploy the models of this variant, and use its settings')
    .option(...projectOption)
    .option(...yesOption)
    .withProject<{ promote?: string }>(
      async ({ client, output, options: { promote }, confirm, project_id }, experiment_id) => {
        const kept = promote === undefined ? '' : ` and use variant ${promote} for all users`;
        await confirm(`Stop experiment ${experiment_id}${kept}?`);
        const stopped = await client.stopExperiment({
          project_id,
          experiment_id,
          ...passed({ promote }),
        });
        output.result(stopped, () =>
          promote === undefined
            ? `Stopped ${experiment_id}.`
            : `Stopped ${experiment_id}. All users get ${promote} now.`,
        );
      },
    );
};

const addCreate: AddCommand = (experiment) => {
  experiment
    .command('create')
    .description('Create and start an experiment. The first variant is the control.')
    .argument('<name>', 'name of the experiment')
    .requiredOption(
      '--variant <variant>',
      'name, and optionally model=ID, ranker=ID, version=NUMBER and share=NUMBER: new,model=mdl_…; repeat it for each variant',
      addVariant,
    )
    .option('--scenario <name>', 'scenario of the calls; by default, calls without a scenario', 'default')
    .option(
      '--metric <metric>',
      'what decides: CLICKED, CONVERTED, TARGET_EVENTS or VALUE (default: CONVERTED)',
    )
    .option(
      '--window-hours <hours>',
      'time after the first response in which events count (default: 24)',
      Number,
    )
    .option(...projectOption)
    .withProject<CreateOptions>(async ({ client, output, options, project_id }, name) => {
      const { scenario, variant: variants, metric, windowHours } = options;
      const created = await client.createExperiment({
        project_id,
        name,
        scenario,
        variants,
        ...passed({ metric, window_hours: windowHours }),
      });
      output.result(
        created,
        () =>
          `Started ${created.experiment_id}. See its results with \`tastegraph experiment show ${created.experiment_id}\`.`,
      );
    });
};

function addVariant(text: string, before: readonly Variant[] = []): Variant[] {
  const [name = '', ...rest] = text.split(',');
  if (name === '' || name.includes('='))
    throw new InvalidArgumentError('Start with the name of the variant.');
  const fields = rest.length === 0 ? new Map<string, string>() : parsePairs(rest.join(','));
  const unknown = [...fields.keys()].find((key) => !['model', 'ranker', 'version', 'share'].includes(key));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`Expected model, ranker, version or share, not ${unknown}.`);
  const optional = passed({
    model_id: fields.get('model'),
    ranker_model_id: fields.get('ranker'),
    scenario_version: numberOf(fields.get('version')),
    share: numberOf(fields.get('share')),
  });
  return [...before, { name, ...optional }];
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError(`Expected a number, not ${text}.`);
  return Number(text);
}

function formatResults(found: Results): string {
  const variants = table(
    [
      'variant',
      'share',
      'users',
      'measured',
      'clicked',
      'converted',
      'events per user',
      'value per user',
      'verdict',
    ],
    found.results.map((one, index) => [
      one.name,
      percent(found.variants[index]?.share ?? null),
      one.users,
      one.measured_users,
      percent(one.clicked.rate),
      percent(one.converted.rate),
      perUser(one.target_events),
      perUser(one.value),
      one.verdict,
    ]),
  );
  const intervals = intervalsOf(found);
  const mismatch = found.sample_ratio.is_mismatch ? 'do not match' : 'match';
  return [
    `${found.name} (${found.state}): ${found.message}`,
    variants,
    ...(intervals.length === 0
      ? []
      : [`Difference from ${found.variants[0]?.name}, by ${found.metric}:\n${intervalChart(intervals)}`]),
    `Users ${mismatch} the planned shares (p = ${Number(found.sample_ratio.p_value.toPrecision(2))}).`,
  ].join('\n\n');
}

/** One per day and variant that has an interval. */
function intervalsOf({ days }: Results): Interval[] {
  return days.flatMap(({ day, variants }) =>
    variants.flatMap(({ name, difference, low, high }) =>
      difference === null || low === null || high === null
        ? []
        : [{ label: `${day} ${name}`, low, value: difference, high }],
    ),
  );
}

const percent = (rate: number | null) => (rate === null ? '' : `${(100 * rate).toFixed(2)}%`);
const perUser = ({ rate }: Measure) => (rate === null ? '' : rate.toPrecision(3));
