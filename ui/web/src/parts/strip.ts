// What a strip of the last 24 hours shows, a column for each quarter of an hour.

import type { LimitHistory } from "../types";

/** How many columns there are, and how many minutes each is about. */
export const columns = 96;
export const stepMinutes = 15;

export interface Strip {
  bars: { x: number; mean: number; max: number; limit: number; level: string }[];
  /** The greatest value or limit there is, by which the strip is scaled; 0 if there is none. */
  top: number;
  /** The most that was used. */
  most: number;
}

/** The strip of one budget, seen now. What was not measured has no column. */
export function stripOf(minutes: LimitHistory["minutes"], name: string, now: number): Strip {
  const step = stepMinutes * 60_000;
  const last = Math.floor(now / step);
  const strip: Strip = { bars: [], top: 0, most: 0 };
  for (const m of minutes) {
    const x = columns - 1 - (last - Math.floor(Date.parse(m.start) / step));
    const f = m.figures.find((one) => one.name === name);
    if (!f || x < 0 || x >= columns) continue;
    strip.bars.push({ x, mean: f.mean, max: f.max, limit: f.limit, level: m.level });
    strip.most = Math.max(strip.most, f.max);
    strip.top = Math.max(strip.top, f.max, f.limit);
  }
  return strip;
}
