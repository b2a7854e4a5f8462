/** Why a source cannot be read as asked, and what to do next. */
export class SourceError extends Error {
  readonly next: string;
  /** USAGE: the options do not fit the source. SOURCE_DAMAGED: its bytes are not what they were. LIMIT: it is too large to be read for others. */
  readonly code: 'USAGE' | 'SOURCE_DAMAGED' | 'LIMIT';

  constructor(message: string, next: string, code: SourceError['code'] = 'USAGE') {
    super(message);
    this.next = next;
    this.code = code;
  }
}
