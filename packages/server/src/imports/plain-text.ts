/** Long enough for a sentence, short enough for a job's row. */
const maxLength = 500;

/** Text with parts of a file, as PostgreSQL can store it. */
export function plainText(text: string): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return short.toWellFormed().replaceAll('\0', '\ufffd');
}
