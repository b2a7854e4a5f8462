import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** All broken links in the Markdown files under `root`, as `file:line: link: reason`. Does not check external URLs. */
export function brokenLinks(root: string): string[] {
  const isOurs = (path: string) => !/(^|\/)(node_modules|dist|\.[^/]+)(\/|$)/.test(path);
  const files = globSync('**/*.md', { cwd: root, exclude: (path) => !isOurs(path) }).filter(isOurs);
  const anchors = new Map<string, Set<string>>();
  const anchorsIn = (path: string) => {
    const found = anchors.get(path) ?? anchorsOf(readFileSync(path, 'utf8'));
    anchors.set(path, found);
    return found;
  };
  return files.toSorted().flatMap((file) => brokenIn(root, file, anchorsIn));
}

type AnchorsIn = (path: string) => ReadonlySet<string>;

function brokenIn(root: string, file: string, anchorsIn: AnchorsIn): string[] {
  const path = join(root, file);
  const broken: string[] = [];
  for (const [index, line] of prose(readFileSync(path, 'utf8')).entries()) {
    for (const [, target = ''] of line.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)) {
      const why = whyBroken(root, path, target, anchorsIn);
      if (why !== undefined) broken.push(`${file}:${index + 1}: ${target}: ${why}`);
    }
  }
  return broken;
}

function whyBroken(root: string, from: string, target: string, anchorsIn: AnchorsIn): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : resolve(dirname(from), decodeURIComponent(file));
  if (relative(root, path).startsWith('..')) return 'outside the repository';
  if (!existsSync(path)) return 'file not found';
  if (anchor === undefined || !path.endsWith('.md')) return undefined;
  return anchorsIn(path).has(anchor) ? undefined : 'heading not found';
}

/** The lines without code blocks and inline code. */
function prose(text: string): string[] {
  let isCode = false;
  return text.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return isFence || isCode
      ? ''
      : line.replaceAll(/`[^`]*`/g, (code) => (line.includes(`[${code}]`) ? code : ''));
  });
}

/** Anchors as on GitHub: keeps letters, digits, `-` and `_`, replaces spaces with `-`, and numbers duplicates. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  const blanked = new Set(prose(text).flatMap((line, index) => (line === '' ? [index] : [])));
  for (const [index, line] of text.split('\n').entries()) {
    for (const [, id = ''] of line.matchAll(/<a id="([^"]+)">/g)) anchors.add(id);
    const heading = blanked.has(index) ? null : /^#{1,6} (.+)$/.exec(line);
    if (!heading) continue;
    const words = (heading[1] ?? '')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
