interface Bubble {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly low: number;
  readonly high: number;
}

export type LabelPlace = 'top' | 'bottom';

/** Of a bold letter, in shares of its size: most are narrower. */
const letterWidth = 0.62;
const lineHeight = 1.3;

/** Above each bubble, else below it, wherever its label lies on no other bubble and on no label before it; else undefined. */
export function placeLabels(
  bubbles: readonly Bubble[],
  texts: readonly string[],
  fontSize: number,
): (LabelPlace | undefined)[] {
  const circles = bubbles.map(boxOf);
  const placed: Box[] = [];
  return bubbles.map((bubble, index) => {
    const width = (texts[index] ?? '').length * fontSize * letterWidth;
    const height = fontSize * lineHeight;
    return (['top', 'bottom'] as const).find((place) => {
      const middle = bubble.y + (place === 'top' ? 1 : -1) * (bubble.radius + height / 2);
      const box = boxAround(bubble.x, middle, width / 2, height / 2);
      const isFree =
        placed.every((other) => !overlap(box, other)) &&
        circles.every((circle, other) => other === index || !overlap(box, circle));
      if (isFree) placed.push(box);
      return isFree;
    });
  });
}

const boxOf = ({ x, y, radius }: Bubble): Box => boxAround(x, y, radius, radius);

const boxAround = (x: number, y: number, halfWidth: number, halfHeight: number): Box => ({
  left: x - halfWidth,
  right: x + halfWidth,
  low: y - halfHeight,
  high: y + halfHeight,
});

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.low < other.high && other.low < one.high;
