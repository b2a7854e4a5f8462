import { readFileSync } from 'node:fs';

/**
 * `ts` and `bash` are run; `json` is what the block before it printed; the others are for reading only, and say so by
 * their name. Any other name, or none, is a mistake: somebody would believe that the block is run.
 */
const languages = ['ts', 'bash', 'json', 'text', 'ini'] as const;
type Language = (typeof languages)[number];

export interface Block {
  readonly language: Language;
  /** Of its first line of code; the page's first line is 1. */
  readonly line: number;
  readonly text: string;
}

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly blocks: readonly Block[];
  readonly lineCount: number;
}

export function readPage(root: string, path: string): Page {
  return parsePage(path, readFileSync(`${root}/${path}`, 'utf8'));
}

/** Throws with page and line when a fence is not closed, or its language is not known. */
export function parsePage(path: string, text: string): Page {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const opening = /^```(\S*)$/.exec(lines[index] ?? '');
    if (!opening) continue;
    const language = languages.find((known) => known === opening[1]);
    if (!language)
      throw new Error(
        `${path}:${index + 1}: a block must be one of ${languages.join(', ')}; this one is "${opening[1]}".`,
      );
    const end = lines.indexOf('```', index + 1);
    if (end < 0) throw new Error(`${path}:${index + 1}: the block is not closed.`);
    blocks.push({ language, line: index + 2, text: lines.slice(index + 1, end).join('\n') });
    index = end;
  }
  return { path, blocks, lineCount: lines.length };
}
