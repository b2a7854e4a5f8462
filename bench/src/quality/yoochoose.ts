import { append, largest, Numbering, readLines } from './data.ts';
import type { Question } from './measure.ts';

/** Clicks in sessions, oldest first. The sessions to predict are later than the known ones. */
export function readYoochoose() {
  const items = new Numbering();
  const read = (file: string) => {
    const sessions = new Map<string, { item: number; seconds: number }[]>();
    for (const line of readLines(`yoochoose-100k/${file}`).slice(1)) {
      const [session = '', item = '', seconds] = line.split('\t');
      append(sessions, session, { item: items.of(item), seconds: Number(seconds) });
    }
    return [...sessions.values()].map((clicks) =>
      clicks.sort((a, b) => a.seconds - b.seconds).map(({ item }) => item),
    );
  };
  const known = new Map(read('yoochoose-clicks-100k_train_full.txt').entries());
  const count = largest(known.values()) + 1;
  const questions: Question[] = [];
  for (const clicks of read('yoochoose-clicks-100k_test.txt'))
    for (let next = 1; next < clicks.length; next++)
      if (clicks[next]! < count) questions.push({ items: clicks.slice(0, next), relevant: [clicks[next]!] });
  return { known, items: count, questions };
}

/** Whether the click to predict is on an item that is new to its session. */
export const isNewClick = ({ items, relevant: [next] }: Question) => !items.includes(next!);
