import { readFileSync } from 'node:fs';

/**
 * `ts`, `bash` and `python` blocks are executed, and `json` is the output of the block before it. `text` and `ini` are not executed.
 * Anything else is an error, because a reader might think that the block is tested.
 */
const languages = ['ts', 'bash', 'python', 'json', 'text', 'ini'] as const;
type Language = (typeof languages)[number];

interface Block {
  readonly language: Language;
  /** The line number of its first line of code, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface Page {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly blocks: readonly Block[];
  readonly lineCount: number;
}

export function readPage(root: string, path: string): Page {
  return parsePage(path, readFileSync(`${root}/${path}`, 'utf8'));
}

/** Throws, with page and line, if a block is not closed or its language is unknown. */
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
