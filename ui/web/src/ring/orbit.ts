// Where members stand around this node: how far from the middle is the round trip. Lengths are parts of the radius. The
// window does the same in ui/orbit.

import { whole } from "./geometry";

export interface Body {
  /** Round trip in milliseconds, negative if nobody knows. */
  ms: number;
  /** Direction as a part of a turn clockwise from the top, negative if nobody knows. */
  bearing: number;
  /** Its direction where nothing tells another. */
  seat: number;
  /** Decides how large it is. */
  share: number;
}

/** In which direction one stands, how far from the middle, and how large its circle is. */
export interface Place {
  at: number;
  part: number;
  size: number;
}

const outermost = 0.8;
const beyond = 0.9;
const rim = 1;
const gap = 0.02;
/** Among more there is no room to make. */
const mostApart = 128;

export const sizeOf = (share: number): number => 0.02 + 0.08 * Math.sqrt(Math.min(1, Math.max(0, share)));

/** The round trip of the last ring of the scale: round, and such that nine of ten are within it. */
export function reachOf(bodies: readonly Body[]): number {
  const known = bodies.map((b) => b.ms).filter((ms) => ms >= 0).sort((a, b) => a - b);
  const farthest = known[Math.floor((known.length * 9 + 9) / 10) - 1] ?? 0;
  for (let power = 10; ; power *= 10) {
    for (const nice of [2, 4, 10]) if (nice * power >= farthest) return nice * power;
  }
}

/** Round trips at which rings of the scale stand. */
export const rings = (reach: number): number[] => [reach / 4, reach / 2, reach];

/** How far from the middle a round trip is. */
export const partOf = (ms: number, reach: number): number => (ms > reach ? beyond : (outermost * ms) / reach);

/** Places around one whose circle has a size. Those that would lie on others are turned a little aside. */
export function around(bodies: readonly Body[], middle: number): Place[] {
  const reach = reachOf(bodies);
  const places: Place[] = [];
  for (const b of bodies) {
    const size = sizeOf(b.share);
    const p = b.ms < 0 ? { at: b.seat, part: rim, size } : { at: b.bearing < 0 ? b.seat : b.bearing, part: Math.max(partOf(b.ms, reach), middle + size + gap), size };
    places.push(places.length < mostApart ? { ...p, at: aside(p, places) } : p);
  }
  return places;
}

function aside(p: Place, others: readonly Place[]): number {
  for (let n = 0; n < 64; n++) {
    const at = p.at + (Math.floor((n + 1) / 2) / 96) * (n % 2 ? -1 : 1);
    const there = { ...p, at: at - Math.floor(at) };
    if (!others.some((o) => apart(there, o) < p.size + o.size + gap)) return there.at;
  }
  return p.at;
}

function apart(a: Place, b: Place): number {
  return Math.sqrt(Math.max(0, a.part ** 2 + b.part ** 2 - 2 * a.part * b.part * Math.cos((a.at - b.at) * whole)));
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

const meets = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** What of a square picture is not taken. */
export class Room {
  private taken: Box[] = [];

  constructor(private readonly side: number) {}

  /** Takes what a circle covers. */
  take(x: number, y: number, size: number): void {
    this.taken.push({ x: x - size, y: y - size, w: 2 * size, h: 2 * size });
  }

  /** Takes a box of a size below, above or beside a circle, or a little aside of that; null if there is no room. */
  beside(x: number, y: number, size: number, w: number, h: number): Box | null {
    const away = size + 3;
    const all = [
      { x: x - w / 2, y: y + away, w, h },
      { x: x - w / 2, y: y - away - h, w, h },
      { x: x + away, y: y - h / 2, w, h },
      { x: x - away - w, y: y - h / 2, w, h },
      { x: x - size, y: y + away, w, h },
      { x: x + size - w, y: y + away, w, h },
      { x: x - size, y: y - away - h, w, h },
      { x: x + size - w, y: y - away - h, w, h },
    ];
    const box = all.find((b) => b.x >= 0 && b.y >= 0 && b.x + w <= this.side && b.y + h <= this.side && !this.taken.some((t) => meets(b, t)));
    if (box) this.taken.push(box);
    return box ?? null;
  }
}
