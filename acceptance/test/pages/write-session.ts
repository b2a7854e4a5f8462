import type { Page } from './read-page.ts';

/**
 * A page as a program: its blocks in their order, each at its own line, so that what the compiler or Node says of a line
 * of the program holds for the line of the page.
 */
export function writeSession({ path, blocks, lineCount }: Page, sessionModule: string): string {
  const lines = Array.from({ length: lineCount }, () => '');
  for (const [index, { language, line, text }] of blocks.entries()) {
    if (language === 'ts') {
      // On the line of the fence, which is free.
      lines[line - 2] = 'session.begin();';
      for (const [offset, code] of text.split('\n').entries()) lines[line - 1 + offset] = code;
    } else if (language === 'bash') {
      lines[line - 1] = `await session.bash(${line}, ${JSON.stringify(text)});`;
    } else if (language === 'json') {
      const before = blocks[index - 1]?.language;
      if (before !== 'ts' && before !== 'bash')
        throw new Error(
          `${path}:${line}: a json block says what the block before it printed; there is none that is run.`,
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
