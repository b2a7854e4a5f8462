/** Who may import whom. ARCHITECTURE.md draws it; dev/test/layers.test.ts proves that a breach is found. */
const server = '^packages/server/src';

/**
 * The modules of the server, and which others each may import. A module that is missing here may import none. Everything may import
 * the kernel, `http/`, and the types of `module.ts` and `services.ts`.
 */
const modules = {
  accounts: [],
  filters: [],
  datasets: ['accounts'],
  trends: ['datasets'],
  webhooks: ['accounts'],
  keys: ['accounts', 'datasets'],
  projects: ['accounts', 'datasets'],
  models: ['projects'],
  audit: ['accounts'],
  usage: ['accounts', 'projects'],
  people: ['accounts', 'keys'],
  jobs: ['accounts', 'projects'],
  serving: ['datasets', 'projects', 'filters', 'trends', 'models'],
  'item-search': ['filters', 'serving'],
  training: ['accounts', 'datasets', 'projects', 'jobs'],
  deployments: ['accounts', 'datasets', 'projects', 'jobs', 'models', 'serving'],
  analyses: ['accounts', 'datasets', 'projects', 'jobs'],
  imports: ['accounts', 'datasets', 'projects', 'jobs', 'usage'],
  outcomes: ['accounts', 'datasets', 'projects', 'serving'],
  scenarios: ['projects', 'filters', 'serving'],
  schedules: ['projects'],
  experiments: ['accounts', 'projects', 'serving', 'scenarios', 'outcomes'],
  batches: [
    'accounts',
    'datasets',
    'projects',
    'models',
    'filters',
    'jobs',
    'serving',
    'scenarios',
    'deployments',
  ],
  erasure: ['accounts', 'datasets', 'projects', 'jobs', 'outcomes'],
  exports: ['accounts', 'datasets', 'projects', 'jobs', 'outcomes', 'experiments'],
};

/** Nothing but the list of modules imports these: each can be removed by its line there. */
export const leaves = [
  'people',
  'training',
  'analyses',
  'batches',
  'imports',
  'exports',
  'erasure',
  'schedules',
  'webhooks',
  'audit',
];

/** What a module shows to the processes only. */
const definitions = '(index|api|http|account|job|metrics)\\.ts$';

/**
 * Serving in the order of a call. `basis` is what has no folder of its own, and `rows/`: types, statements, and what a call may spend.
 */
const serving = ['state', 'catalogue', 'search', 'rules', 'questions', 'call'];

/** G1 in the order of a training; `parameters.ts` and what puts them together are beside these folders. */
const g1 = {
  data: [],
  fit: ['data'],
  items: ['data'],
  model: ['data', 'fit', 'items'],
  search: ['data', 'fit', 'items', 'model'],
};

const workspaces = {
  'packages/contract': [],
  'packages/algorithms': ['packages/contract'],
  'packages/charts': [],
  'packages/sdk': ['packages/contract'],
  'packages/files': ['packages/sdk'],
  'packages/cli': ['packages/sdk', 'packages/files'],
  'packages/console': ['packages/contract', 'packages/sdk', 'packages/files', 'packages/charts'],
  'packages/server': ['packages/contract', 'packages/algorithms', 'packages/charts', 'packages/files'],
  acceptance: ['packages/sdk'],
  'examples/express': ['packages/sdk'],
};

const screens = '^packages/console/src/screens';

const ours = '^(packages/[^/]+|acceptance|bench|dev|examples/[^/]+)/';

export default {
  forbidden: [
    ...Object.entries(modules).map(([name, may]) => ({
      name: `module-${name}`,
      severity: 'error',
      from: { path: `${server}/${name}/` },
      to: {
        path: `${server}/`,
        pathNot: [
          ...[name, 'kernel', 'http', ...may].map((each) => `${server}/${each}/`),
          `${server}/(module|services)\\.ts$`,
        ],
      },
    })),
    {
      name: 'kernel-knows-no-product',
      comment: 'Nothing of ours but itself: neither the contract nor a module.',
      severity: 'error',
      from: { path: `${server}/kernel/` },
      to: { path: ours, pathNot: `${server}/kernel/` },
    },
    {
      name: 'http-knows-no-module',
      severity: 'error',
      from: { path: `${server}/http/` },
      to: { path: `${server}/`, pathNot: `${server}/(kernel|http)/` },
    },
    {
      name: 'definitions-are-for-processes',
      comment: 'Another module uses a verb or its rows, and never what the processes compose.',
      severity: 'error',
      from: { path: `${server}/(${Object.keys(modules).join('|')})/` },
      to: {
        path: `${server}/(${Object.keys(modules).join('|')})/${definitions}`,
        // Of the same module.
        pathNot: `${server}/$1/`,
      },
    },
    {
      name: 'leaves-have-one-dependent',
      severity: 'error',
      from: {
        path: `${server}/`,
        pathNot: [`${server}/(${leaves.join('|')})/`, `${server}/processes/modules\\.ts`],
      },
      to: { path: `${server}/(${leaves.join('|')})/` },
    },
    {
      name: 'serving-basis',
      severity: 'error',
      from: { path: `${server}/serving/(rows/)?[^/]+$` },
      to: { path: `${server}/serving/(${serving.join('|')})/` },
    },
    ...serving.slice(0, -1).map((folder, place) => ({
      name: `serving-${folder}`,
      severity: 'error',
      from: { path: `${server}/serving/${folder}/` },
      to: { path: `${server}/serving/(${serving.slice(place + 1).join('|')})/` },
    })),
    ...Object.entries(workspaces).map(([workspace, may]) => ({
      name: `workspace-${workspace.replace('/', '-')}`,
      severity: 'error',
      // Tests start real services by what dev/ offers, and check against the contract. Generators write files with it.
      // What builds a package shares its code.
      from: {
        path: `^${workspace}/`,
        pathNot: '^packages/[^/]+/(test/|publish/|generate\\.ts$|pictures\\.ts$)',
      },
      to: { path: ours, pathNot: [workspace, ...may].map((name) => `^${name}/`) },
    })),
    {
      name: 'nobody-imports-processes',
      severity: 'error',
      from: { pathNot: `${server}/(processes/|main\\.ts)|/test/` },
      to: { path: `${server}/processes/` },
    },
    {
      name: 'only-processes-see-the-config',
      severity: 'error',
      from: {
        pathNot: `${server}/(processes/|(main|config|services)\\.ts)|^packages/server/generate\\.ts|/test/`,
      },
      to: { path: `${server}/(config|settings)\\.ts` },
    },
    {
      name: 'browser-safe',
      comment:
        'contract, sdk, algorithms, charts, files and console run anywhere: no module of Node, but to start threads and to open files on disk.',
      severity: 'error',
      from: {
        path: '^packages/(contract|sdk|algorithms|charts|files|console)/src/',
        pathNot: '^packages/(algorithms/src/kernels/threads/|files/src/sources/open\\.ts)',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'files-on-disk',
      comment: 'Who opens files on disk imports @tastegraph/files/open. A browser has none.',
      severity: 'error',
      from: { path: '^packages/(files|console)/src/', pathNot: '^packages/files/src/sources/open\\.ts' },
      to: { path: '^packages/files/src/sources/(open|parquet)\\.ts' },
    },
    {
      name: 'files-import-sdk-types',
      comment: 'An import job reads files without the SDK: who sends their records passes the client.',
      severity: 'error',
      from: { path: '^packages/files/src/' },
      to: { path: '^packages/sdk/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nobody-imports-the-command-line',
      comment: 'What others need as well is in packages/files or in the SDK.',
      severity: 'error',
      from: { pathNot: '^packages/cli/|/(test|publish)/' },
      to: { path: '^packages/cli/' },
    },
    {
      name: 'console-screens-are-apart',
      comment: 'What two screens share is in use/ (hooks), items/ (how items are shown) or components/.',
      severity: 'error',
      from: { path: `${screens}/([^/]+)/` },
      to: { path: `${screens}/[^/]+/`, pathNot: `${screens}/$1/` },
    },
    {
      name: 'console-shares-no-screens',
      severity: 'error',
      from: { path: '^packages/console/src/[^/]+/', pathNot: `${screens}/` },
      to: { path: `${screens}/` },
    },
    {
      name: 'algorithms-do-not-start-threads',
      comment: 'They are handed an executor: who wants threads imports @tastegraph/algorithms/threads.',
      severity: 'error',
      from: { path: '^packages/algorithms/src/', pathNot: '^packages/algorithms/src/kernels/threads/' },
      to: { path: '^packages/algorithms/src/kernels/threads/' },
    },
    {
      name: 'algorithms-import-contract-types',
      comment: 'Of the contract, algorithms see the types of their parameters: nothing of it runs with them.',
      severity: 'error',
      from: { path: '^packages/algorithms/src/' },
      to: { path: '^packages/contract/', dependencyTypesNot: ['type-only'] },
    },
    ...Object.entries(g1).map(([folder, may]) => ({
      name: `g1-${folder}`,
      severity: 'error',
      from: { path: `^packages/algorithms/src/g1/${folder}/` },
      to: {
        path: '^packages/algorithms/src/g1/[^/]+/',
        pathNot: [folder, ...may].map((name) => `^packages/algorithms/src/g1/${name}/`),
      },
    })),
    {
      name: 'charts-draw-nothing',
      comment:
        'A chart is data: who wants it as SVG imports @tastegraph/charts/svg, and a page @tastegraph/charts/browser.',
      severity: 'error',
      from: { path: '^packages/charts/src/', pathNot: '^packages/charts/src/(svg|parts|browser)\\.ts' },
      to: { path: '^packages/charts/src/svg\\.ts|node_modules/echarts', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sdk-ships-no-schemas',
      comment: 'At runtime the SDK needs the endpoints only; the rest of the contract is types to it.',
      severity: 'error',
      from: { path: '^packages/sdk/src/' },
      to: { path: '^packages/contract/src/', pathNot: 'endpoints\\.ts', dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What tests wrote there is not ours to keep in order.
    exclude: { path: '/(\\.build|dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
};
