import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { transpile } from '../../cli/publish/transpile.ts';

export interface Modules {
  /** JavaScript by path, which is that of the source in the repository except for its ending. */
  readonly code: ReadonlyMap<string, string>;
  /** The packages from npm that they import. */
  readonly libraries: ReadonlySet<string>;
}

/**
 * Follows all imports, and URLs of worker threads, from the entries through all workspaces. So the package contains what
 * runs, and nothing else: no tests, no generators. Imports of other workspaces become relative.
 */
export function collectModules(root: URL, entries: readonly string[]): Modules {
  const code = new Map<string, string>();
  const libraries = new Set<string>();
  const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
  const add = (path: string) => {
    const target = asJavaScript(path);
    if (code.has(target)) return;
    const text = path.endsWith('.ts') ? transpile(read(path)) : read(path);
    // Before its imports, which may lead back here.
    code.set(target, '');
    const rewritten = rewriteReferences(text, (reference) => {
      if (reference.startsWith('node:')) return reference;
      if (reference.startsWith('.')) {
        if (!/\.(ts|js)$/.test(reference)) return reference;
        const source = posix.join(posix.dirname(path), asTypeScript(reference));
        add(source);
        return asJavaScript(reference);
      }
      if (reference.startsWith('@tastegraph/')) {
        const source = findExport(reference, read);
        add(source);
        const relative = posix.relative(posix.dirname(path), asJavaScript(source));
        return relative.startsWith('.') ? relative : `./${relative}`;
      }
      libraries.add(/^(@[^/]+\/)?[^/]+/.exec(reference)?.[0] ?? reference);
      return reference;
    });
    code.set(target, rewritten);
  };
  for (const entry of entries) add(entry);
  return { code, libraries };
}

const asJavaScript = (path: string) => path.replace(/\.ts$/, '.js');
const asTypeScript = (path: string) => path.replace(/\.js$/, '.ts');

/** The source file that a workspace exports under a name. */
function findExport(reference: string, read: (path: string) => string): string {
  const [, workspace = '', ...rest] = reference.split('/');
  const folder = workspace === 'dev' ? 'dev' : `packages/${workspace}`;
  const { exports = {} } = JSON.parse(read(`${folder}/package.json`)) as { exports?: Record<string, string> };
  const file = exports[rest.length === 0 ? '.' : `./${rest.join('/')}`];
  if (file === undefined) throw new Error(`${folder}/package.json does not export ${reference}.`);
  return posix.join(folder, file);
}

/** Replaces what a module imports, and the files that it names as `new URL(file, import.meta.url)`. */
function rewriteReferences(text: string, rewrite: (reference: string) => string): string {
  const found: ts.StringLiteral[] = [];
  const visit = (node: ts.Node) => {
    const reference = referenceOf(node);
    if (reference && ts.isStringLiteral(reference)) found.push(reference);
    ts.forEachChild(node, visit);
  };
  const file = ts.createSourceFile('module.js', text, ts.ScriptTarget.ESNext, true);
  visit(file);
  let result = text;
  // From the end, so that earlier positions stay valid.
  for (const literal of found.toReversed())
    result = `${result.slice(0, literal.getStart(file))}'${rewrite(literal.text)}'${result.slice(literal.end)}`;
  return result;
}

function referenceOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return node.arguments[0];
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'URL') return undefined;
  const [file, base] = node.arguments ?? [];
  return base?.getText() === 'import.meta.url' ? file : undefined;
}
