import ts from 'typescript';

/** Removes the types of a module. Imports of `.ts` become imports of `.js`. `npm run check` checks the types. */
export function transpile(text: string): string {
  return ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText;
}
