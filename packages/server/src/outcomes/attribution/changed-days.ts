/** What changed since the last attribution of a project. Days are numbers since 1970, UTC. */
interface Changes {
  /** Bits of the days whose events changed, by day number modulo 64. */
  readonly changedDays: bigint;
  readonly answers: ReadonlyMap<number, number>;
  /** How many answers of each day the outcomes include. */
  readonly counted: ReadonlyMap<number, number>;
  readonly hours: number;
  /** That of the last attribution. */
  readonly countedHours: number | null;
  readonly today: number;
  readonly keptDays: number;
}

/**
 * The days whose events must be attributed (again): those whose events changed, and those whose events may follow answers
 * that are new or gone. Days before the first answer are left out.
 */
export function eventDaysToAttribute(changes: Changes): { eventDays: number[]; answerDays: Set<number> } {
  const { changedDays, answers, counted, hours, countedHours, today, keptDays } = changes;
  const kept = (day: number) => day >= today - keptDays && day <= today + 1;
  const answerDays = new Set(
    [...answers.keys(), ...counted.keys()].filter(
      (day) => kept(day) && (answers.get(day) ?? 0) !== (counted.get(day) ?? 0),
    ),
  );
  const first = Math.max(Math.min(...answers.keys(), ...counted.keys()), today - keptDays);
  const windowDays = Math.ceil(hours / 24);
  const isEveryDay = countedHours !== hours;
  const eventDays: number[] = [];
  for (let day = first; day <= today + 1; day++) {
    const hasChanged = ((BigInt.asUintN(64, changedDays) >> BigInt(day % 64)) & 1n) === 1n;
    const follows = Array.from({ length: windowDays + 1 }, (_, back) => day - back);
    if (isEveryDay || hasChanged || follows.some((one) => answerDays.has(one))) eventDays.push(day);
  }
  return { eventDays, answerDays };
}
