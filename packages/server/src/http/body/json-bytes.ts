/** The structural bytes of JSON. */
export const quote = 0x22;
export const backslash = 0x5c;
const comma = 0x2c;
export const colon = 0x3a;
export const openArray = 0x5b;
export const closeArray = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;
export const space = 0x20;
const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Kinds of bytes outside strings; 0 is an ordinary byte. A table lookup is faster than comparisons. */
export const byteKinds = new Uint8Array(256);
export const isColon = 1;
export const isComma = 2;
export const isOpening = 3;
export const isClosing = 4;
export const isQuote = 5;
export const isWhite = 6;
byteKinds[colon] = isColon;
byteKinds[comma] = isComma;
for (const byte of [openArray, openObject]) byteKinds[byte] = isOpening;
for (const byte of [closeArray, closeObject]) byteKinds[byte] = isClosing;
byteKinds[quote] = isQuote;
for (const byte of [space, tab, lineFeed, carriageReturn]) byteKinds[byte] = isWhite;
