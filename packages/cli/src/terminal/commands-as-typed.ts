/** npx runs the command line without adding it to the PATH, so commands that a message suggests need npx as well. */
export function commandsAsTyped(text: string): string {
  return process.env.npm_command === 'exec' ? text.replaceAll('`tastegraph ', '`npx @tastegraph/cli ') : text;
}
