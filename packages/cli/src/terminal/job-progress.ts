import { type Job, timeLeftOf } from '@tastegraph/sdk';
import cliProgress from 'cli-progress';
import { describeStage } from '../describe-job.ts';
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

  show(job: Job): void {
    const { job_status, progress, retry_count } = job;
    const stage = describeStage(progress?.stage ?? job_status.toLowerCase());
    if (stage !== this.#stage) this.#endStage();
    this.#stage = stage;
    const message = [progress?.message, retry_count > 0 && `retry ${retry_count}`].filter(Boolean).join(', ');
    const fraction = progress?.fraction ?? 0;
    const seconds = fraction < 1 ? timeLeftOf(job) : undefined;
    const left = seconds === undefined ? '' : `about ${formatDuration(1000 * seconds)} left`;
    // A waiting job says what it waits for.
    const what = progress?.stage === 'waiting' && message !== '' ? [message] : [stage, message];
    if (this.#stream.isTTY) this.#draw(fraction, [left, ...what].filter(Boolean).join(', '));
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

  /** What does not fit the terminal is at the end, where it is cut off. */
  #draw(fraction: number, text: string): void {
    if (!this.#bar) {
      this.#bar = new cliProgress.SingleBar(
        {
          format: '{bar} {percentage} %  {text}',
          stream: this.#stream,
          barsize: 16,
          gracefulExit: false,
          clearOnComplete: true,
          stopOnComplete: false,
        },
        cliProgress.Presets.shades_classic,
      );
      this.#bar.start(100, Math.round(fraction * 100), { text });
    }
    this.#bar.update(Math.round(fraction * 100), { text });
  }

  /** Prints a line per 10 %, to keep logs short. */
  #line(stage: string, fraction: number, message: string): void {
    const line = `${stage} ${Math.floor(fraction * 10) * 10} %`;
    if (line === this.#lastLine) return;
    this.#lastLine = line;
    this.#stream.write(`${line}${message === '' ? '' : `  ${message}`}\n`);
  }
}
