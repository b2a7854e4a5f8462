import { Fault } from '../domain/fault.ts';

export interface Admission {
  /** Runs the work when it has a place; throws UNAVAILABLE when it gets none, at once or within `waitMs`. */
  run<T>(project: string, work: () => Promise<T>): Promise<T>;
}

export interface AdmissionOptions {
  /** Calls in work at once. */
  readonly places: number;
  /** Calls that wait for a place, at most. */
  readonly mostWaiting: number;
  readonly waitMs: number;
  readonly onShed: () => void;
}

interface Waiting {
  /** Counts up: the lower, the longer it waits. */
  readonly arrival: number;
  readonly begin: () => void;
  readonly shed: () => void;
}

/** A project's calls: in work, and waiting, the oldest first. */
interface Line {
  inWork: number;
  readonly waiting: Waiting[];
}

/**
 * Of the places, what one project may hold when nobody else is there: the rest lets the first calls of another begin at
 * once. More for one would leave others waiting for its calls to end; less would leave a project that is alone wanting.
 */
const shareOfOne = 3 / 4;

/**
 * Bounds what is in work, so that what has begun ends in time, and sheds the rest early, while that is cheap. Fair
 * between projects: a place that becomes free goes to the project with the fewest in work, and when too many wait, the
 * latest of the project that wants the most goes. A flood sheds its own calls.
 */
export function createAdmission({ places, mostWaiting, waitMs, onShed }: AdmissionOptions): Admission {
  const mostForOne = Math.max(1, Math.floor(places * shareOfOne));
  /** Only of projects that have calls here. */
  const lines = new Map<string, Line>();
  let inWork = 0;
  let waiting = 0;
  let arrivals = 0;

  const shed = () => {
    onShed();
    return new Fault('UNAVAILABLE', 'Too many calls are under way. Try again shortly.', {
      // What is in work ends within its deadline, which is shorter; Retry-After knows no fractions.
      retryAfterSeconds: 1,
    });
  };
  const mayBegin = (line: Line) => inWork < places && line.inWork < mostForOne;
  const begin = (line: Line) => {
    line.inWork++;
    inWork++;
  };
  const forgetIfEmpty = (project: string, line: Line) => {
    if (line.inWork === 0 && line.waiting.length === 0) lines.delete(project);
  };

  const wait = (project: string, line: Line) =>
    new Promise<void>((resolve, reject) => {
      const entry: Waiting = {
        arrival: arrivals++,
        begin: () => {
          stopWaiting();
          begin(line);
          resolve();
        },
        shed: () => {
          stopWaiting();
          forgetIfEmpty(project, line);
          reject(shed());
        },
      };
      const timer = setTimeout(entry.shed, waitMs);
      const stopWaiting = () => {
        clearTimeout(timer);
        line.waiting.splice(line.waiting.indexOf(entry), 1);
        waiting--;
      };
      line.waiting.push(entry);
      waiting++;
    });

  /** False when nobody who waits wants more than this one would. */
  const makeRoom = (line: Line): boolean => {
    const greediest = bestOf(lines.values(), wants);
    // One more than equal, or two that want the same would turn each other out for ever.
    if (!greediest || wants(greediest) <= wants(line) + 1) return false;
    greediest.waiting.at(-1)?.shed();
    return true;
  };

  const enter = async (project: string, line: Line): Promise<void> => {
    if (mayBegin(line)) begin(line);
    else if (waiting < mostWaiting || makeRoom(line)) await wait(project, line);
    else {
      forgetIfEmpty(project, line);
      throw shed();
    }
  };

  const leave = (project: string, line: Line) => {
    line.inWork--;
    inWork--;
    forgetIfEmpty(project, line);
    const next = bestOf(lines.values(), (other) => (mayBegin(other) ? -other.inWork : undefined));
    next?.waiting[0]?.begin();
  };

  return {
    async run(project, work) {
      const line = lines.get(project) ?? { inWork: 0, waiting: [] };
      lines.set(project, line);
      await enter(project, line);
      try {
        return await work();
      } finally {
        leave(project, line);
      }
    },
  };
}

const wants = (line: Line) => line.inWork + line.waiting.length;

/** Of the lines in which somebody waits, the one with the highest rank; of equals, the one that waits the longest. */
function bestOf(lines: Iterable<Line>, rankOf: (line: Line) => number | undefined): Line | undefined {
  let best: { line: Line; rank: number; arrival: number } | undefined;
  for (const line of lines) {
    const arrival = line.waiting[0]?.arrival;
    const rank = rankOf(line);
    if (arrival === undefined || rank === undefined) continue;
    if (!best || rank > best.rank || (rank === best.rank && arrival < best.arrival))
      best = { line, rank, arrival };
  }
  return best?.line;
}
