/** What no retry can mend. The message is written for the developer who submitted the job, and says what to do next. */
export class JobError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'JobError';
    this.code = code;
  }
}
