import { setImmediate as nextTurn } from 'node:timers/promises';
import { within } from '../../lib/within.ts';

export interface Circuit {
  /** What is answered, or undefined, at once, while whoever is asked is away. Costs at most `answerMs`. */
  ask<T>(question: () => Promise<T>): Promise<T | undefined>;
}

interface CircuitOptions {
  readonly answerMs: number;
  /** After it was found away: how long it is left alone. */
  readonly pauseMs: number;
  /** The lightest question. It is asked behind the callers' backs: none of them waits to learn that nothing has changed. */
  readonly ping: () => Promise<unknown>;
  readonly onChange: (isAway: boolean) => void;
}

/**
 * A process that was busy looks at its timers before it reads what has arrived meanwhile: the first turn sends what it
 * has not got round to sending, the second one reads the answer.
 */
const turnsToRead = 2;

/**
 * Stops asking who does not answer in time, and goes on when it does again: after a hiccup at once, else it is tried
 * after a pause. Without timers of its own: nothing to close.
 */
export function createCircuit({ answerMs, pauseMs, ping, onChange }: CircuitOptions): Circuit {
  let isAway = false;
  let isPinging = false;
  let pingAt = 0;

  const setAway = (away: boolean) => {
    if (away) pingAt = performance.now() + pauseMs;
    if (away === isAway) return;
    isAway = away;
    onChange(away);
  };
  const tryAgain = () => {
    // One at a time: to somebody who hangs, unanswered ones would pile up.
    if (!isAway || isPinging) return;
    isPinging = true;
    const answered = () => {
      isPinging = false;
    };
    const answer = ping();
    answer.then(answered, answered);
    answerOf(answer, answerMs).then(
      () => setAway(false),
      () => setAway(true),
    );
  };

  return {
    async ask(question) {
      if (isAway) {
        if (performance.now() >= pingAt) tryAgain();
        return undefined;
      }
      const answer = question();
      try {
        return await answerOf(answer, answerMs);
      } catch {
        setAway(true);
        // Late, not lost: a hiccup, if the next answer is in time.
        answer.then(tryAgain, () => undefined);
        return undefined;
      }
    },
  };
}

async function answerOf<T>(answer: Promise<T>, answerMs: number): Promise<T> {
  try {
    return await within(answerMs, answer);
  } catch (late) {
    const turns = async (): Promise<never> => {
      for (let turn = 0; turn < turnsToRead; turn++) await nextTurn();
      throw late;
    };
    return Promise.race([answer, turns()]);
  }
}
