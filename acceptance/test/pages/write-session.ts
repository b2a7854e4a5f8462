import type { Page } from './read-page.ts';

/**
 * Turns a page into a program. Each block keeps its line numbers, so that errors of the compiler and of Node refer to lines of
 * the page.
 */
export function writeSession({ path, blocks, lineCount }: Page, sessionModule: string): string {
  const lines = Array.from({ length: lineCount }, () => '');
  for (const [index, { language, line, text }] of blocks.entries()) {
    if (language === 'ts') {
      // On the line of the opening fence, which has no code.
      lines[line - 2] = 'session.begin();';
      for (const [offset, code] of text.split('\n').entries()) lines[line - 1 + offset] = code;
    } else if (language === 'bash') {
      lines[line - 1] = `await session.bash(${line}, ${JSON.stringify(text)});`;
    } else if (language === 'python') {
      lines[line - 1] = `await session.python(${line}, ${JSON.stringify(text)});`;
    } else if (language === 'json') {
      const before = blocks[index - 1]?.language;
      if (before !== 'ts' && before !== 'bash' && before !== 'python')
        throw new Error(
          `${path}:${line}: a json block is the output of the block before it, but that block is not executed.`,
        );
      lines[line - 1] = `session.expectPrinted(${line}, ${JSON.stringify(parseExpected(path, line, text))});`;
    }
  }
  lines[0] = `import { Session } from '${sessionModule}'; const session = new Session();${lines[0] ?? ''}`;
  return `${lines.join('\n')}\nsession.end();\n`;
}

function parseExpected(path: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path}:${line}: not JSON: ${String(error)}`);
  }
}
