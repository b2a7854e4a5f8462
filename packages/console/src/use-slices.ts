import { useEffect, useState } from 'react';

/** How many of a screen's lower parts are rendered: one more after each paint, so that clicks are handled in between. */
export function useSlices(count: number): number {
  const [shown, setShown] = useState(0);
  // An effect runs after the paint.
  useEffect(() => {
    if (shown >= count) return undefined;
    const timer = setTimeout(() => setShown(shown + 1));
    return () => clearTimeout(timer);
  }, [shown, count]);
  return shown;
}
