import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { operationNames } from '@tastegraph/contract/endpoints';
import ts from 'typescript';
import { writeContractTypes } from './contract-types.ts';
import { writeManifest } from './manifest.ts';

/**
 * Builds dist/, the published package: JavaScript and declarations without dependencies. Copies the sources together
 * with their part of the contract, and compiles them with browser types only, so that any use of Node is an error.
 */
const here = new URL('../', import.meta.url);
const source = new URL('src/', here);
const staged = new URL('.build/', here);
export const dist = new URL('dist/', here);

export function build(): void {
  for (const folder of [staged, dist]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  try {
    stage();
    compile();
  } finally {
    rmSync(staged, { recursive: true });
  }
  writeManifest(here, dist, {
    sideEffects: false,
    // `main` and `types` are for resolvers without support for `exports`.
    main: './index.js',
    types: './index.d.ts',
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './package.json' },
    files: ['**/*.js', '**/*.d.ts'],
  });
}

function stage(): void {
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    const target = new URL(file, staged);
    if (!file.endsWith('.ts')) mkdirSync(target);
    else writeFileSync(target, withOwnImports(readFileSync(new URL(file, source), 'utf8'), file));
  }
  mkdirSync(new URL('contract/', staged));
  cpSync(new URL('../contract/src/endpoints.ts', here), new URL('contract/endpoints.ts', staged));
  writeFileSync(new URL('contract/types.ts', staged), writeContractTypes(operationNames));
  writeFileSync(new URL(sameTypes, staged), sameTypesText);
}

/** Declarations keep the import specifiers of their sources, so the sources are rewritten for the published package. */
function withOwnImports(text: string, file: string): string {
  const up = file.includes('/') ? '../' : './';
  return text
    .replaceAll("from '@tastegraph/contract/endpoints'", `from '${up}contract/endpoints.js'`)
    .replaceAll("from '@tastegraph/contract'", `from '${up}contract/types.js'`)
    .replaceAll(/from '(\.[^']+)\.ts'/g, "from '$1.js'");
}

/**
 * Checks that the generated types are equal to those of the contract. Only in requests may a caller also send null for
 * an optional field, which the contract's types, as the server sees them, do not include.
 */
const sameTypes = 'same-types.ts';
const sameTypesText = `
import type * as contract from '@tastegraph/contract';
import type * as written from './contract/types.js';
type Differs<A, B> = [A] extends [B] ? ([B] extends [A] ? never : 'differs') : 'differs';
type Sent<T> = T extends readonly (infer E)[]
  ? Sent<E>[]
  : T extends object
    ? string extends keyof T
      ? { [K in keyof T]: Sent<T[K]> }
      : { [K in keyof T]: {} extends Pick<T, K> ? Sent<T[K]> | null : Sent<T[K]> }
    : T;
type SentInQuery = { [N in contract.OperationName]: (typeof contract.endpoints)[N][0] extends 'GET' ? N : never }[contract.OperationName];
type Differing = {
  [N in contract.OperationName]: Differs<
    N extends SentInQuery ? contract.Request<N> : Sent<contract.Request<N>>,
    written.Request<N>
  > extends never
    ? Differs<contract.Response<N>, written.Response<N>> extends never ? never : N
    : N;
}[contract.OperationName];
declare const differing: Differing;
declare const results: { [T in contract.JobType]: Differs<contract.JobResult<T>, written.JobResult<T>> }[contract.JobType];
declare const others: Differs<
  [contract.Problem, contract.TokenResponse, Sent<contract.EventRecord>, contract.ErrorCode, contract.FailureCode],
  [written.Problem, written.TokenResponse, written.EventRecord, written.ErrorCode, written.FailureCode]
>;
export const nothing: never[] = [differing, results, others];
`;

function compile(): void {
  const files = readdirSync(staged, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    declaration: true,
    rootDir: fileURLToPath(staged),
    outDir: fileURLToPath(dist),
  };
  const program = ts.createProgram(
    files.map((file) => fileURLToPath(new URL(file, staged))),
    options,
  );
  const problems = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
  for (const file of files) {
    const found = program.getSourceFile(fileURLToPath(new URL(file, staged)));
    problems.push(...program.getSyntacticDiagnostics(found), ...program.getSemanticDiagnostics(found));
    if (file !== sameTypes) problems.push(...program.emit(found).diagnostics);
  }
  if (problems.length > 0) throw new Error(ts.formatDiagnostics(problems, formatHost));
}

export const formatHost: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => fileURLToPath(here),
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};

if (import.meta.main) build();
