import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of code, or a folder in a folder: `kernel/lib/limiter.ts`, `limiter.ts`, `engine/heartbeat*.ts`, `jobs/engine/`. */
const codePath = /^(?:[\w@.*-]+\/)*[\w@.*-]+\.(?:ts|tsx|mjs|sql|sh)$|^[\w@.-]+\/(?:[\w@.-]+\/)+$/;

/** These name the reader's files, or files of earlier releases. */
const isExempt = (page: string) => /^(?:README\.md|CHANGELOG\.md|docs\/guide\/.*)$/.test(page);

/** Every code path in pages and comments that is not the end of a file's path, as `file:line: path`. */
export function missingPaths(root: string): string[] {
  const code = listFiles(root, '**/*.{ts,tsx,mjs,sql,sh}');
  const pages = listFiles(root, '**/*.md').filter((page) => !isExempt(page));
  const found = new Map<string, boolean>();
  const exists = (path: string) => {
    const isThere = found.get(path) ?? code.some(matcherOf(path));
    found.set(path, isThere);
    return isThere;
  };
  return [
    ...pages.flatMap((file) => missingIn(root, file, namesInPage, exists)),
    ...code.flatMap((file) => missingIn(root, file, namesInComments, exists)),
  ];
}

/** Every name of code in the page (`runJobs`, `FilesResult`) that is not in any source file. */
export function missingNames(root: string, page: string): string[] {
  const sources = listFiles(root, '**/*.ts').map((file) => readFileSync(join(root, file), 'utf8'));
  const words = new Set(sources.flatMap((text) => text.match(/\w+/g) ?? []));
  return namesInPage(readFileSync(join(root, page), 'utf8'))
    .flat()
    .filter((name) => /^[A-Za-z]+[a-z][A-Z]\w*$/.test(name) && !words.has(name));
}

function listFiles(root: string, pattern: string): string[] {
  const isOurs = (path: string) => !/(^|\/)(node_modules|dist|\.[^/]+)(\/|$)/.test(path);
  return globSync(pattern, { cwd: root, exclude: (path) => !isOurs(path) })
    .filter(isOurs)
    .toSorted();
}

function matcherOf(path: string): (file: string) => boolean {
  if (path.endsWith('/')) return (file) => `/${file}`.includes(`/${path}`);
  if (!path.includes('*')) return (file) => `/${file}`.endsWith(`/${path}`);
  const pattern = path.replaceAll('.', '\\.').replaceAll('*', '[^/]*');
  return (file) => new RegExp(`/${pattern}$`).test(`/${file}`);
}

function missingIn(
  root: string,
  file: string,
  namesIn: (text: string) => string[][],
  exists: (path: string) => boolean,
): string[] {
  return namesIn(readFileSync(join(root, file), 'utf8')).flatMap((names, index) =>
    names
      .filter((name) => codePath.test(name) && !exists(name))
      .map((name) => `${file}:${index + 1}: ${name}`),
  );
}

/** For each line, the code in it, but not that of code blocks. */
function namesInPage(text: string): string[][] {
  let isBlock = false;
  return text.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isBlock = !isBlock;
    if (isFence || isBlock) return [];
    return Array.from(line.matchAll(/`([^`\s]+)`/g), ([, name = '']) => name);
  });
}

/** For each line, the words of its comment. */
function namesInComments(text: string): string[][] {
  return text.split('\n').map((line) => {
    const comment = /^\s*(?:\/\/|\/\*\*|\*|#|--) (.*)$/.exec(line)?.[1] ?? '';
    return comment.split(/[\s`()"'<>,;:]+/).map((word) => word.replace(/\.$/, ''));
  });
}
