// When the next frame is drawn: never while nothing changes, and never while nobody looks.

export interface Pace {
  visible: boolean;
  /** The user wants no motion: an image now and then. */
  still: boolean;
  /** How many marks are under way. */
  moving: number;
  /** Something lasting changed. */
  changed: boolean;
  /** The user did something and waits to see it. */
  asked: boolean;
  /** When the last frame was drawn, -Infinity if none was. */
  last: number;
  /** How many frames may still follow each other quickly. */
  credit: number;
}

/** The time between two frames while something moves: smooth for a while, coarser where it never ends, or much does. */
export const shortest = 1000 / 20;
export const coarse = 1000 / 6;
/** More marks than these are a stream of them, in which the eye follows none. */
const few = 4;
const settle = 1000;
const stillEvery = 5000;

/** In how many milliseconds the next frame is due, null if none is. */
export function due(p: Pace, now: number): number | null {
  if (!p.visible) return null;
  if (p.asked) return left(p.last + shortest, now);
  if (p.still) return p.changed || p.moving > 0 ? left(p.last + stillEvery, now) : null;
  if (p.moving > 0) return left(p.last + (p.moving <= few && p.credit >= 1 ? shortest : coarse), now);
  return p.changed ? left(p.last + settle, now) : null;
}

const left = (at: number, now: number): number => Math.max(0, at - now);

const mostCredit = 16;
const perSecond = 2;

/**
 * Bounds what a busy node's picture costs: quick frames are paid from a credit that grows with time, so that what
 * happens now and then is smooth and what happens all the time is cheap.
 */
export class Credit {
  left = mostCredit;
  private at = 0;

  /** Notes a frame drawn at a time; one that came a coarse step after the one before costs nothing. */
  spend(now: number): void {
    const since = now - this.at;
    this.left = Math.min(mostCredit, this.left + (since / 1000) * perSecond);
    this.at = now;
    if (this.left >= 1 && since < coarse * 0.9) this.left--;
  }
}
