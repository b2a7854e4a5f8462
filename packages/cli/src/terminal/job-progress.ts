import type { Job } from '@tastegraph/sdk';
import cliProgress from 'cli-progress';
import { formatDuration } from './format.ts';

/** Shows a progress bar for the current stage and a line per finished stage; without a terminal, only lines. */
export class JobProgress {
  readonly #stream: NodeJS.WriteStream;
  #bar: cliProgress.SingleBar | undefined;
  #stage = '';
  #stageSince = Date.now();
  #lastLine = '';

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  show({ job_status, progress, retry_count }: Job): void {
    const stage = progress?.stage ?? job_status.toLowerCase();
    if (stage !== this.#stage) this.#endStage();
    this.#stage = stage;
    const message = [progress?.message, retry_count > 0 && `retry ${retry_count}`].filter(Boolean).join(', ');
    const fraction = progress?.fraction ?? 0;
    if (this.#stream.isTTY) this.#draw(stage, fraction, message);
    else this.#line(stage, fraction, message);
  }

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #endStage(): void {
    this.stop();
    if (this.#stage !== '' && this.#stream.isTTY)
      this.#stream.write(`${this.#stage}: ${formatDuration(Date.now() - this.#stageSince)}\n`);
    this.#stageSince = Date.now();
  }

  #draw(stage: string, fraction: number, message: string): void {
    const shown = { stage, message };
    if (!this.#bar) {
      this.#bar = new cliProgress.SingleBar(
        {
          format: '{stage} {bar} {percentage} %  {message}',
          stream: this.#stream,
          barsize: 24,
          gracefulExit: false,
          clearOnComplete: true,
          stopOnComplete: false,
        },
        cliProgress.Presets.shades_classic,
      );
      this.#bar.start(100, Math.round(fraction * 100), shown);
    }
    this.#bar.update(Math.round(fraction * 100), shown);
  }

  /** Prints a line per 10 %, to keep logs short. */
  #line(stage: string, fraction: number, message: string): void {
    const line = `${stage} ${Math.floor(fraction * 10) * 10} %`;
    if (line === this.#lastLine) return;
    this.#lastLine = line;
    this.#stream.write(`${line}${message === '' ? '' : `  ${message}`}\n`);
  }
}
