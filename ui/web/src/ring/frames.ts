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
  /** How many frames may still follow each other quickly. */
  credit: number;
}

/** The time between two frames while something moves: smooth for a while, coarser where it never ends. */
export const shortest = 1000 / 30;
export const coarse = 1000 / 7;
const settle = 1000;
const stillEvery = 5000;

/** In how many milliseconds the next frame is due, null if none is. */
export function due(p: Pace, now: number): number | null {
  if (!p.visible) return null;
  if (p.asked) return left(p.last + shortest, now);
  if (p.still) return p.changed || p.moving ? left(p.last + stillEvery, now) : null;
  if (p.moving) return left(p.last + (p.credit >= 1 ? shortest : coarse), now);
  return p.changed ? left(p.last + settle, now) : null;
}

const left = (at: number, now: number): number => Math.max(0, at - now);

const mostCredit = 75;
const perSecond = 2;

/**
 * Bounds what a busy node's picture costs: quick frames are paid from a credit that grows with time, so that what
 * happens now and then is smooth and what happens all the time is cheap.
 */
export class Credit {
  left = mostCredit;
  private at = 0;

  /** Notes a frame drawn at a time. */
  spend(now: number): void {
    this.left = Math.min(mostCredit, this.left + ((now - this.at) / 1000) * perSecond);
    this.at = now;
    if (this.left >= 1) this.left--;
  }
}
