// Where things are on the ring. A place is a part of the whole circle, 0 ≤ at < 1, clockwise from the top.

export interface Point {
  x: number;
  y: number;
}

/** The circle in pixels; r is the radius of the middle of the band of arcs. */
export interface Disc {
  cx: number;
  cy: number;
  r: number;
}

export interface Arc {
  from: number;
  to: number;
  member: number;
}

export const whole = Math.PI * 2;

/** The angle of a place as the canvas counts them. */
export const angle = (at: number): number => at * whole - Math.PI / 2;

/** The point of a place, at a part of the radius. */
export function onDisc(d: Disc, at: number, part = 1): Point {
  const a = angle(at);
  return { x: d.cx + Math.cos(a) * d.r * part, y: d.cy + Math.sin(a) * d.r * part };
}

/** The place that a point stands for, and at which part of the radius it is. */
export function placeOf(d: Disc, p: Point): { at: number; part: number } {
  const x = p.x - d.cx;
  const y = p.y - d.cy;
  const at = Math.atan2(y, x) / whole + 0.25;
  return { at: (at + 1) % 1, part: Math.hypot(x, y) / d.r };
}

/** How far two places are apart, 0 to 0.5. */
export function apart(a: number, b: number): number {
  const d = Math.abs(a - b) % 1;
  return Math.min(d, 1 - d);
}

/** The point that bends a chord towards the middle, as the control point of a quadratic curve; short ones bend less. */
export function bend(d: Disc, from: Point, to: Point): Point {
  const pull = 0.2 + 0.25 * Math.min(2, Math.hypot(to.x - from.x, to.y - from.y) / d.r);
  const x = (from.x + to.x) / 2;
  const y = (from.y + to.y) / 2;
  return { x: x + (d.cx - x) * pull, y: y + (d.cy - y) * pull };
}

/** A point of such a curve, p from 0 to 1. */
export function along(from: Point, by: Point, to: Point, p: number): Point {
  const q = 1 - p;
  return { x: q * q * from.x + 2 * q * p * by.x + p * p * to.x, y: q * q * from.y + 2 * q * p * by.y + p * p * to.y };
}

/** The index of the arc that holds a place, -1 if none does. Arcs are in order. */
export function arcAt(arcs: readonly Arc[], at: number): number {
  let low = 0;
  let high = arcs.length - 1;
  while (low <= high) {
    const mid = (low + high) >> 1;
    const arc = arcs[mid]!;
    if (at < arc.from) high = mid - 1;
    else if (at >= arc.to) low = mid + 1;
    else return mid;
  }
  return -1;
}

/** Neighbouring arcs of one member as one. */
export function joined(arcs: readonly Arc[]): Arc[] {
  const list: Arc[] = [];
  for (const arc of arcs) {
    const last = list.at(-1);
    if (last && last.member === arc.member && arc.from - last.to < 1e-9) last.to = arc.to;
    else list.push({ ...arc });
  }
  return list;
}

/** The middle of a member's widest arc, -1 if it has none. */
export function seat(arcs: readonly Arc[], member: number): number {
  let best: Arc | null = null;
  for (const arc of arcs) {
    if (arc.member === member && (best === null || arc.to - arc.from > best.to - best.from)) best = arc;
  }
  return best === null ? -1 : (best.from + best.to) / 2;
}

const outermost = 0.86;
const innermost = 0.28;
const manyPages = 3000;

/** At which part of the radius a site is: the more pages were fetched, the nearer to the middle. */
export function depth(pages: number): number {
  const share = Math.log1p(Math.max(0, pages)) / Math.log1p(manyPages);
  return outermost - (outermost - innermost) * Math.min(1, share);
}

/** The point nearest to p where a line of text, so long and so high at each side of it, is within a circle. */
export function inside(d: Disc, p: Point, long: number, high: number): Point {
  const most = Math.max(0, Math.sqrt(Math.max(0, d.r ** 2 - long ** 2)) - high);
  const y = Math.min(most, Math.max(-most, p.y - d.cy));
  const wide = Math.max(0, Math.sqrt(Math.max(0, d.r ** 2 - (Math.abs(y) + high) ** 2)) - long);
  return { x: d.cx + Math.min(wide, Math.max(-wide, p.x - d.cx)), y: d.cy + y };
}
