// A period of figures, with the one before it.

import type { Series, SeriesPoint } from "../../types";

export type Unit = Series["unit"];

export const steps: Record<Unit, number> = { hour: 3600, day: 86400, year: 365 * 86400 };
/** How many points are shown, and how many at least: a bar alone says little. */
const spans: Record<Unit, number> = { hour: 48, day: 60, year: 20 };
const least: Record<Unit, number> = { hour: 24, day: 14, year: 5 };

/** The user's time zone. */
export const zone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What the node is asked for: a period and the one before. Days are those of the user. */
export function asked(unit: Unit): { unit: Unit; limit: number; zone: string } {
  return { unit, limit: 2 * spans[unit], zone: zone() };
}

export interface Periods {
  /** Starts of the points, in seconds since 1970, and what was counted from each to the next. */
  times: number[];
  values: number[];
  /** The same of as many points before those. */
  timesBefore: number[];
  before: number[];
}

/** The points with those between and before them at which nothing happened, which the node does not keep. */
export function periods({ unit, points }: Pick<Series, "unit" | "points">, of: (p: SeriesPoint) => number): Periods {
  const known = new Map(points.map((p) => [Date.parse(p.start) / 1000, of(p)]));
  const [first, last] = [Math.min(...known.keys()), Math.max(...known.keys())];
  const back = (n: number): number => (unit === "year" ? Date.UTC(new Date(last * 1000).getUTCFullYear() - n, 0) / 1000 : last - n * steps[unit]);
  let n = spans[unit];
  while (n > least[unit] && back(n - 1) < first) n--;
  const times = Array.from({ length: n }, (_, i) => back(n - 1 - i));
  const timesBefore = times.map((_, i) => back(2 * n - 1 - i));
  const at = (time: number) => known.get(time) ?? 0;
  return { times, values: times.map(at), timesBefore, before: timesBefore.map(at) };
}

/** What was counted until each point. */
export function running(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((v) => (sum += v));
}
