// When the next frame is drawn: never while nothing changes, and never while nobody looks.

export interface Pace {
  visible: boolean;
  /** The user wants no motion: an image now and then. */
  still: boolean;
  /** Something is under way. */
  moving: boolean;
  /** Something lasting changed. */
  changed: boolean;
  /** The user did something and waits to see it. */
  asked: boolean;
  /** When the last frame was drawn, -Infinity if none was. */
  last: number;
}

export const shortest = 1000 / 30;
const settle = 1000;
const stillEvery = 5000;

/** In how many milliseconds the next frame is due, null if none is. */
export function due(p: Pace, now: number): number | null {
  if (!p.visible) return null;
  if (p.asked) return left(p.last + shortest, now);
  if (p.still) return p.changed || p.moving ? left(p.last + stillEvery, now) : null;
  if (p.moving) return left(p.last + shortest, now);
  return p.changed ? left(p.last + settle, now) : null;
}

const left = (at: number, now: number): number => Math.max(0, at - now);
