/** Parses Prometheus's text format into samples by name and labels. Throws on an invalid line. */
export function readSamples(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  for (const line of text.split('\n')) {
    if (line === '' || /^# (HELP|TYPE) [a-zA-Z_:][\w:]* .+$/.test(line)) continue;
    const [, series, value] = /^([a-zA-Z_:][\w:]*(?:\{(?:\w+="[^"\\\n]*",?)*\})?) (\S+)$/.exec(line) ?? [];
    if (series === undefined) throw new Error(`not a sample: ${line}`);
    samples[series] = Number(value);
  }
  return samples;
}
