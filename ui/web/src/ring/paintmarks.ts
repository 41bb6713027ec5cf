// The part of the picture that flies.

import { along, bend, inside, onDisc, whole, type Disc, type Point } from "./geometry";
import { font, starInk, type Ink } from "./ink";
import { after, flight, ghostly, type Mark } from "./marks";
import { band, fitted } from "./paintbase";
import type { Scene, Spot } from "./scene";

/** A rectangle that was drawn on, to be cleared before the next frame. */
export type Patch = [x: number, y: number, w: number, h: number];

const around = (points: readonly Point[], room: number): Patch => {
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const x = Math.floor(Math.min(...xs) - room);
  const y = Math.floor(Math.min(...ys) - room);
  return [x, y, Math.ceil(Math.max(...xs) + room) - x, Math.ceil(Math.max(...ys) + room) - y];
};

const easeOut = (p: number): number => 1 - (1 - p) ** 2.2;

function colourOf(m: Mark, ink: Ink): string {
  switch (m.shape) {
    case "links":
      return ink.link;
    case "lease":
      return ink.lease;
    case "domain":
      return ink.moved;
    case "cross":
    case "bar":
      return ink.bad;
    case "dot":
      return ink.soft;
    case "ghost":
      return starInk(ink, m.language);
    default:
      return ink.page;
  }
}

/** Draws a mark as it is at a time; whole draws its way all at once, for a picture that does not move. */
export function paintMark(c: CanvasRenderingContext2D, d: Disc, m: Mark, now: number, ink: Ink, still: boolean): Patch | null {
  const since = now - m.begin;
  if (since < 0 && !still) return null;
  const length = flight[m.way];
  const p = still || length === 0 ? 1 : Math.min(1, since / length);
  const fade = still ? 0.35 : Math.min(1, Math.max(0, (since - length) / after));
  c.strokeStyle = c.fillStyle = colourOf(m, ink);
  if (m.shape === "ghost") return ghost(c, d, m, since / ghostly, ink);
  if (m.way === "here") return arrive(c, onDisc(d, m.to, m.part), m, fade, d);
  if (m.way === "over") return over(c, d, m, easeOut(p), fade, still);
  return out(c, d, m, easeOut(p), fade, still);
}

/** From the middle to the place of a site. */
function out(c: CanvasRenderingContext2D, d: Disc, m: Mark, p: number, fade: number, still: boolean): Patch {
  const start = 0.05;
  const at = (q: number) => onDisc(d, m.to, start + (m.part - start) * q);
  const head = at(p);
  const tail = at(still ? 0 : Math.max(0, p - 0.22 * (1 - fade)));
  if (p < 1 || still) {
    c.lineCap = "round";
    c.lineWidth = m.shape === "dot" ? 1 : 1.8;
    c.globalAlpha = still ? 0.3 : 0.5;
    line(c, tail, head);
  }
  if (p < 1) {
    c.globalAlpha = 0.22;
    disc(c, head, d.r * 0.028);
    c.globalAlpha = 1;
    if (m.foreign) ringAt(c, head, Math.max(2.2, d.r * 0.012), 1.4);
    else disc(c, head, Math.max(1.8, d.r * (m.shape === "dot" ? 0.007 : 0.012)));
    c.globalAlpha = 1;
    return around([tail, head], d.r * 0.03 + 4);
  }
  const patch = arrive(c, head, m, fade, d);
  return still ? around([tail, head], d.r * 0.08 + 4) : patch;
}

/** A site that was visited once glows, and its name drifts upward and away. */
function ghost(c: CanvasRenderingContext2D, d: Disc, m: Mark, part: number, ink: Ink): Patch {
  const p = onDisc(d, m.to, m.part);
  const strength = Math.sin(Math.PI * Math.min(1, Math.max(0, part)));
  const r = Math.max(2.5, d.r * 0.016);
  c.globalAlpha = 0.2 * strength;
  disc(c, p, r * 2.6);
  c.globalAlpha = 0.9 * strength;
  disc(c, p, r);
  c.font = font(12);
  c.textAlign = "center";
  c.textBaseline = "middle";
  const label = fitted(m.label, d.r * 1.2, (text) => c.measureText(text).width);
  const half = c.measureText(label).width / 2;
  const at = inside({ ...d, r: d.r - band(d) }, { x: p.x, y: p.y - r * 3 - 4 - 8 * part }, half + 4, 8); // off the arcs
  c.strokeStyle = ink.ground;
  c.lineWidth = 3;
  c.strokeText(label, at.x, at.y);
  c.fillStyle = ink.ink;
  c.fillText(label, at.x, at.y);
  c.globalAlpha = 1;
  return around([p, { x: at.x - half, y: at.y }, { x: at.x + half, y: at.y }], r * 3 + 10);
}

/** What is seen where something came to its end. */
function arrive(c: CanvasRenderingContext2D, p: Point, m: Mark, fade: number, d: Disc): Patch {
  const r = Math.max(3, d.r * 0.018);
  const room = r * 4 + 4;
  c.globalAlpha = 1 - fade;
  switch (m.shape) {
    case "cross":
      c.lineWidth = 1.8;
      line(c, { x: p.x - r, y: p.y - r }, { x: p.x + r, y: p.y + r });
      line(c, { x: p.x - r, y: p.y + r }, { x: p.x + r, y: p.y - r });
      break;
    case "bar":
      c.lineWidth = 2.4;
      line(c, { x: p.x - r * 1.2, y: p.y }, { x: p.x + r * 1.2, y: p.y });
      ringAt(c, p, r * 1.5, 1.2);
      break;
    case "dot":
      disc(c, p, r * 0.5);
      break;
    case "spark":
      if (!m.foreign) disc(c, p, r * (1 - 0.4 * fade));
      ringAt(c, p, r * (1 + 2.4 * fade), 1.6 * (1 - fade) + 0.2);
      break;
    default:
      ringAt(c, p, r * (0.8 + 1.6 * fade), 1.4);
  }
  c.globalAlpha = 1;
  return around([p], room);
}

/** From one member to another, along the chord; it is received at its end. */
function over(c: CanvasRenderingContext2D, d: Disc, m: Mark, p: number, fade: number, still: boolean): Patch {
  const from = onDisc(d, m.from, m.start);
  const to = onDisc(d, m.to, m.part);
  const by = bend(d, from, to);
  const here = along(from, by, to, p);
  // The first part of a quadratic curve is one too.
  const part = { x: from.x + (by.x - from.x) * p, y: from.y + (by.y - from.y) * p };
  c.globalAlpha = (1 - fade) * 0.45;
  c.lineWidth = m.shape === "links" ? 1.2 : 1.8;
  c.setLineDash(m.shape === "lease" ? [5, 4] : []);
  c.beginPath();
  c.moveTo(from.x, from.y);
  c.quadraticCurveTo(part.x, part.y, here.x, here.y);
  c.stroke();
  c.setLineDash([]);
  c.globalAlpha = 1 - fade;
  const r = Math.max(3.2, d.r * 0.02);
  if (m.shape === "links") disc(c, here, r * 0.75);
  else if (m.shape === "lease") diamond(c, here, r * 1.25);
  else c.fillRect(here.x - r, here.y - r, r * 2, r * 2);
  if (p >= 1 && !still) ringAt(c, to, r + (band(d) - r) * fade * 1.6, 1.6);
  c.globalAlpha = 1;
  return around([from, by, to], r * 2 + band(d) * 2);
}

/** Where the user points: the site with its place, or all that a member owns. */
export function paintSpot(c: CanvasRenderingContext2D, d: Disc, scene: Scene, spot: Spot, ink: Ink): Patch {
  c.strokeStyle = ink.ink;
  c.fillStyle = ink.ink;
  c.lineWidth = 1.4;
  const orbit = scene.mode === "swarm" ? scene.orbits[spot.member] : null;
  if (orbit) {
    const p = onDisc(d, orbit.at, orbit.part);
    c.globalAlpha = 0.5;
    line(c, { x: d.cx, y: d.cy }, p);
    c.globalAlpha = 1;
    ringAt(c, p, orbit.size * d.r + 3, 1.6);
    return around([{ x: d.cx, y: d.cy }, p], orbit.size * d.r + 6);
  }
  for (const arc of scene.arcs) {
    if (arc.member !== spot.member) continue;
    c.beginPath();
    c.arc(d.cx, d.cy, d.r + band(d) * 0.95, arc.from * whole - Math.PI / 2, arc.to * whole - Math.PI / 2);
    c.stroke();
  }
  const rim = onDisc(d, spot.at, 1 + band(d) / d.r);
  disc(c, rim, Math.max(3, d.r * 0.016));
  if (spot.star) {
    const p = scene.starPoint(d, spot.star);
    c.globalAlpha = 0.5;
    line(c, p, onDisc(d, spot.at, 1));
    c.globalAlpha = 1;
    ringAt(c, p, Math.max(6, d.r * 0.035), 1.6);
  }
  const all = d.r + band(d) * 2;
  return [d.cx - all, d.cy - all, 2 * all, 2 * all];
}

function line(c: CanvasRenderingContext2D, a: Point, b: Point): void {
  c.beginPath();
  c.moveTo(a.x, a.y);
  c.lineTo(b.x, b.y);
  c.stroke();
}

function disc(c: CanvasRenderingContext2D, p: Point, r: number): void {
  c.beginPath();
  c.arc(p.x, p.y, r, 0, whole);
  c.fill();
}

function ringAt(c: CanvasRenderingContext2D, p: Point, r: number, width: number): void {
  c.lineWidth = width;
  c.beginPath();
  c.arc(p.x, p.y, r, 0, whole);
  c.stroke();
}

function diamond(c: CanvasRenderingContext2D, p: Point, r: number): void {
  c.beginPath();
  c.moveTo(p.x, p.y - r);
  c.lineTo(p.x + r, p.y);
  c.lineTo(p.x, p.y + r);
  c.lineTo(p.x - r, p.y);
  c.closePath();
  c.fill();
}
