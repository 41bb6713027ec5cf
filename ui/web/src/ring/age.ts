// How bright a site is: fresh ones shine, and fade over days.

const halfLife = 2 * 24 * 3600 * 1000;
const faintest = 0.22;

/** Brightness of a site last fetched so many milliseconds ago, from faintest to 1; null is not known. */
export function brightness(ageMs: number | null): number {
  if (ageMs === null) return faintest;
  return faintest + (1 - faintest) * 0.5 ** (Math.max(0, ageMs) / halfLife);
}

/** So many steps of brightness are drawn, so that sites of one step are drawn at once. */
export const steps = 8;

export function step(brightness: number): number {
  return Math.min(steps - 1, Math.max(0, Math.floor(((brightness - faintest) / (1 - faintest)) * steps)));
}

/** The brightness in the middle of a step. */
export const ofStep = (n: number): number => faintest + ((n + 0.5) / steps) * (1 - faintest);
