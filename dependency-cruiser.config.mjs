/** Who may import whom. ARCHITECTURE.md draws it; dev/test/layers.test.ts proves that a breach is found. */
const server = '^packages/server/src';

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

const ours = '^(packages/[^/]+|acceptance|bench|dev|examples/[^/]+)/';

export default {
  forbidden: [
    ...Object.entries(workspaces).map(([workspace, may]) => ({
      name: `workspace-${workspace.replace('/', '-')}`,
      severity: 'error',
      // Tests start real services by what dev/ offers, and check against the contract. Generators write files with it.
      // What builds a package shares its code.
      from: { path: `^${workspace}/`, pathNot: '^packages/[^/]+/(test/|publish/|generate\\.ts$|pictures\\.ts$)' },
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
        'contract, sdk, algorithms, charts, files and console run anywhere: no module of Node, but to start threads and to open files on disk.',
      severity: 'error',
      from: {
        path: '^packages/(contract|sdk|algorithms|charts|files|console)/src/',
        pathNot: '^packages/(algorithms/src/threads/|files/src/sources/open\\.ts)',
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
