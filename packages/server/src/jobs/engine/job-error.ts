/**
 * A failure that no retry can fix. The message is for the developer who submitted the job, and says what to do next.
 */
export class JobError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'JobError';
    this.code = code;
  }
}
