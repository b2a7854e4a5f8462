import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: ['**/node_modules/**', '**/dist/**', '**/.build/**', '*.mjs', 'packages/algorithms/assembly/**'],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // Numbers in messages are what a reader wants to see; `${count}` needs no ceremony.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // Handlers are async by contract even where one of them has nothing to await.
      '@typescript-eslint/require-await': 'off',
      // `fn: async () => {}` where a void callback is expected is caught by no-misused-promises already.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
      ],
    },
  },
  {
    // Commands for people: their output is the console, and they read the environment they are started in.
    files: [
      'bench/**',
      'dev/**',
      'acceptance/**',
      '**/test/**',
      'packages/server/src/config.ts',
      'packages/contract/src/generate.ts',
      'packages/algorithms/generate.ts',
      'packages/sdk/publish/**',
      'packages/cli/publish/**',
      'packages/cli/generate.ts',
      'packages/cli/src/settings.ts',
      '*.ts',
      'packages/server/src/processes/admin.ts',
    ],
    rules: { 'no-console': 'off', 'no-restricted-properties': 'off' },
  },
  {
    // Numerical code walks typed arrays within bounds that its loops state; a check at every read would hide the formula.
    files: ['packages/algorithms/**', 'bench/src/quality/**', 'bench/src/train/**'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  { files: ['**/*.js', '**/*.cjs'], extends: [tseslint.configs.disableTypeChecked] },
);
