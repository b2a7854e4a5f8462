import type { Source } from '@tastegraph/files';
import cliProgress from 'cli-progress';
import { formatDuration } from './format.ts';

/** A progress bar on a terminal; otherwise a line every ten seconds, for a log. */
const lineEveryMs = 10_000;

export class ImportProgressBar {
  readonly #source: Source;
  readonly #stream: NodeJS.WriteStream | undefined;
  readonly #startedAt = Date.now();
  #startPosition: number | undefined;
  #bar: cliProgress.SingleBar | undefined;
  #lineAt = Date.now();

  constructor(source: Source, stream: NodeJS.WriteStream | undefined) {
    this.#source = source;
    this.#stream = stream;
  }

  show(rows: number, perSecond: number, rejected: number): void {
    if (!this.#stream) return;
    const { size } = this.#source;
    // Rows of an earlier run are skipped quickly, so they must not count in the estimate of the time left.
    this.#startPosition ??= this.#source.position();
    const position = Math.min(this.#source.position(), size ?? Infinity);
    const shown = {
      rows: rows.toLocaleString('en'),
      rate: Math.round(perSecond).toLocaleString('en'),
      left: this.#timeLeft(position),
      rejected: rejected.toLocaleString('en'),
    };
    if (this.#stream.isTTY) this.#draw(position, shown);
    else this.#line(position, shown);
  }

  stop(): void {
    this.#bar?.stop();
  }

  #draw(position: number, shown: Readonly<Record<string, string>>): void {
    const { size } = this.#source;
    const figures = '{rows} rows  {rate}/s  {rejected} rejected';
    const format = size === undefined ? figures : `{bar} {percentage} %  ${figures}{left}`;
    if (!this.#bar) {
      this.#bar = new cliProgress.SingleBar(
        { format, stream: this.#stream, barsize: 12, gracefulExit: false, fps: 5 },
        cliProgress.Presets.shades_classic,
      );
      this.#bar.start(size ?? 0, position, shown);
    }
    this.#bar.update(position, shown);
  }

  #line(position: number, { rows, rate, left, rejected }: Readonly<Record<string, string>>): void {
    if (Date.now() - this.#lineAt < lineEveryMs) return;
    this.#lineAt = Date.now();
    const { size } = this.#source;
    const part = size === undefined ? '' : `${((100 * position) / size).toFixed(0)} %${left}, `;
    this.#stream?.write(`${part}${rows} rows, ${rate}/s, ${rejected} rejected\n`);
  }

  #timeLeft(position: number): string {
    const { size } = this.#source;
    const done = position - (this.#startPosition ?? 0);
    if (size === undefined || done <= 0 || position === size) return '';
    return `, ${formatDuration(((Date.now() - this.#startedAt) / done) * (size - position))} left`;
  }
}
