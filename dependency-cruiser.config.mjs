/** Who may import whom. ARCHITECTURE.md draws it; dev/test/layers.test.ts proves that a breach is found. */
const server = '^packages/server/src';

/** A folder may import itself and these, of ours. */
const layers = {
  lib: [],
  observability: [],
  storage: ['lib', 'observability'],
  domain: ['storage', 'lib'],
  jobs: ['domain', 'serving', 'storage', 'lib', 'observability'],
  serving: ['storage', 'domain', 'lib', 'observability'],
  http: ['domain', 'serving', 'lib', 'observability'],
};

const workspaces = {
  'packages/contract': [],
  'packages/algorithms': ['packages/contract'],
  'packages/charts': [],
  'packages/sdk': ['packages/contract'],
  'packages/cli': ['packages/sdk'],
  'packages/console': ['packages/contract', 'packages/sdk', 'packages/cli', 'packages/charts'],
  'packages/server': ['packages/contract', 'packages/algorithms', 'packages/charts', 'packages/cli'],
  acceptance: ['packages/sdk'],
  'examples/express': ['packages/sdk'],
};

const ours = '^(packages/[^/]+|acceptance|bench|dev|examples/[^/]+)/';

export default {
  forbidden: [
    ...Object.entries(layers).map(([layer, may]) => ({
      name: `server-${layer}`,
      severity: 'error',
      from: { path: `${server}/${layer}/` },
      to: { path: `${server}/`, pathNot: [layer, ...may].map((name) => `${server}/${name}/`) },
    })),
    ...Object.entries(workspaces).map(([workspace, may]) => ({
      name: `workspace-${workspace.replace('/', '-')}`,
      severity: 'error',
      // Tests start real services by what dev/ offers, and check against the contract. Generators write files with it.
      // What builds a package shares its code.
      from: { path: `^${workspace}/`, pathNot: '^packages/[^/]+/(test/|publish/|(src/)?generate\\.ts$)' },
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
      from: { pathNot: `${server}/(processes/|main\\.ts|config\\.ts)|^packages/server/generate\\.ts|/test/` },
      to: { path: `${server}/(config|settings)\\.ts` },
    },
    {
      name: 'browser-safe',
      comment:
        'contract, sdk, algorithms, charts and console run anywhere: no module of Node, but to start threads.',
      severity: 'error',
      from: {
        path: [
          '^packages/(contract|sdk|algorithms|charts|console)/src/',
          // What packages/cli/src/import/portable.ts exports, and what the title of an item is.
          '^packages/cli/src/(cli-error|exit-codes|items/title|import/(fields|guess-kinds|mapping|portable|record-mapper|sample|sha256|values|sources/(csv|csv-segments|json|source)))\\.ts',
        ],
        pathNot: '^packages/(contract/src/generate\\.ts|algorithms/src/threads/)',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'console-imports-what-runs-in-a-browser',
      comment:
        'Of the command line, the console uses what reads and maps files, and what an item is called: no module of Node.',
      severity: 'error',
      from: { path: '^packages/console/src/' },
      to: {
        path: '^packages/cli/',
        pathNot: '^packages/cli/src/(import/portable|items/title)\\.ts',
      },
    },
    {
      name: 'server-imports-files-as-the-command-line-does',
      comment: 'Of the command line, the import job uses what reads and maps files.',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: '^packages/server/src/jobs/import/' },
      to: { path: '^packages/cli/' },
    },
    {
      name: 'import-jobs-only-read-files',
      comment: 'Nothing else of the command line runs in the server.',
      severity: 'error',
      from: { path: '^packages/server/src/jobs/import/' },
      to: { path: '^packages/cli/', pathNot: '^packages/cli/src/import/(portable|sources/open)\\.ts' },
    },
    {
      name: 'algorithms-do-not-start-threads',
      comment: 'They are handed an executor: who wants threads imports @tastegraph/algorithms/threads.',
      severity: 'error',
      from: { path: '^packages/algorithms/src/', pathNot: '^packages/algorithms/src/threads/' },
      to: { path: '^packages/algorithms/src/threads/' },
    },
    {
      name: 'algorithms-import-contract-types',
      comment: 'Of the contract, algorithms see the types of their parameters: nothing of it runs with them.',
      severity: 'error',
      from: { path: '^packages/algorithms/src/' },
      to: { path: '^packages/contract/', dependencyTypesNot: ['type-only'] },
    },
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
