/** What XML cannot hold, and what would break a line or turn round the text after it. */
const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\u{200e}\u{200f}\u{061c}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}\u{fffe}\u{ffff}]+/gu;

/** More marks on one letter than any script has would paint over the lines above. */
const pileOfMarks = /(\p{M}{4})\p{M}+/gu;

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** What takes twice the room of a Latin letter. */
const wide =
  /[\p{Emoji_Presentation}\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{ff00}-\u{ff60}\u{20000}-\u{3ffff}]/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A developer's text, fit to be drawn in one line of about `length` letters; what is longer ends in an ellipsis. */
export function printable(text: string, length: number): string {
  // The longest letters (emoji of families, Zalgo) take some ten units: what lies beyond is never seen.
  const clean = text
    .slice(0, length * 16)
    .toWellFormed()
    .replace(unprintable, ' ')
    .replace(pileOfMarks, '$1')
    .replace(/\s+/gu, ' ')
    .trim();
  const letters: string[] = [];
  let room = length;
  let cut = text.length > length * 16;
  for (const { segment } of graphemes.segment(clean)) {
    room -= wide.test(segment) ? 1.8 : /^[\p{Lu}mw@%]/u.test(segment) ? 1.4 : 1;
    if (room < 0) {
      cut = true;
      break;
    }
    letters.push(segment);
  }
  const shown = cut ? `${letters.slice(0, -1).join('').trimEnd()}…` : letters.join('');
  // ECharts keeps measured texts as properties of a plain object, where these names already exist: drawing "__proto__"
  // would write to Object.prototype. A character without width makes it another text that looks the same.
  if (shown in Object.prototype) return `${shown}\u{200b}`;
  // Isolated, so that the words around it keep their order.
  return rightToLeft.test(shown) ? `\u{2068}${shown}\u{2069}` : shown;
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** 12,345,678 */
export const count = (value: number): string => whole.format(value);
/** 12.3M */
export const shortCount = (value: number): string => compact.format(value);
/** Of a share: 12.5% */
export const share = (value: number): string => percent.format(value);
export const users = (value: number): string => (value === 1 ? '1 user' : `${count(value)} users`);

/** About how wide a number is in pixels, in the fonts that charts are drawn in: digits are wider than their commas. */
export const textWidth = (number: string, fontSize: number): number =>
  Math.ceil(
    Array.from(number).reduce(
      (width, letter) => width + (/[,.]/.test(letter) ? 0.3 : letter === 'M' ? 0.85 : 0.6),
      0,
    ) * fontSize,
  );
