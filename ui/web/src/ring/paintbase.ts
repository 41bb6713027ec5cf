// The part of the picture that stays: arcs, the middle, sites, and dusk.

import { brightness, ofStep, step, steps } from "./age";
import { angle, depth, onDisc, whole, type Arc, type Disc } from "./geometry";
import { font, type Ink } from "./ink";
import type { Scene } from "./scene";

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** The disc of a picture with sides of so many pixels. */
export function discOf(side: number, mode: "ring" | "swarm"): Disc {
  const margin = mode === "swarm" ? Math.max(66, side * 0.15) : Math.max(16, side * 0.045);
  return { cx: side / 2, cy: side / 2, r: side / 2 - margin };
}

export const band = (d: Disc): number => Math.max(7, d.r * 0.062);
const hub = 0.13;
const glows = 6;
/** Lines for so many pages help the eye. */
const guides = [9, 99, 999];

/** Words of the middle and at the members, in the user's language. */
export interface Captions {
  share: string;
  shareOf: string;
  coverage: string;
  /** The lines at a member. */
  name(member: number): string[];
}

export function paintArcs(c: Context, d: Disc, scene: Scene, ink: Ink): void {
  c.fillStyle = ink.ground;
  c.beginPath();
  c.arc(d.cx, d.cy, d.r + band(d) / 2, 0, whole);
  c.fill();
  if (scene.mode === "ring") paintGuides(c, d, ink);
  if (scene.arcs.length === 0) stroke(c, d, 0, 1, 1.5, ink.rim);
  const width = band(d);
  for (const pass of ["glow", "band"] as const) {
    for (const arc of scene.arcs) {
      const m = scene.members[arc.member];
      if (!m) continue;
      if (pass === "glow") {
        if (m.self) glow(c, d, arc, width, ink);
      } else if (m.self) stroke(c, d, ...atLeast(arc, ownLeast / (whole * d.r)), width, ink.ours);
      else if (m.connected) stroke(c, d, arc.from, arc.to, width * 0.5, ink.near);
      else hollow(c, d, arc, width * 0.5, ink);
    }
  }
}

function paintGuides(c: Context, d: Disc, ink: Ink): void {
  c.strokeStyle = ink.rim;
  c.lineWidth = 1;
  c.globalAlpha = 0.5;
  c.setLineDash([1, 5]);
  for (const pages of guides) {
    c.beginPath();
    c.arc(d.cx, d.cy, d.r * depth(pages), 0, whole);
    c.stroke();
  }
  c.setLineDash([]);
  c.globalAlpha = 1;
}

/** Our part shines. Wide, pale strokes with round ends cost less than a blur; what is short shines less far. */
function glow(c: Context, d: Disc, arc: Arc, width: number, ink: Ink): void {
  const length = (arc.to - arc.from) * whole * d.r;
  const reach = Math.min(width * 1.7, 5 + length * 0.5);
  const inset = Math.min(width / 2, length * 0.45);
  c.lineCap = "round";
  c.globalAlpha = 0.07;
  for (let i = 1; i <= glows; i++) stroke(c, d, arc.from, arc.to, width + (reach * i) / glows, ink.glow, inset);
  c.globalAlpha = 1;
  c.lineCap = "butt";
}

/** In a large network a part is narrower than a line; ours are seen all the same. */
const ownLeast = 2.5;

function atLeast(arc: Arc, length: number): [from: number, to: number] {
  const more = Math.max(0, length - (arc.to - arc.from)) / 2;
  return [arc.from - more, arc.to + more];
}

/** Who is not connected is told apart by its shape too. */
function hollow(c: Context, d: Disc, arc: Arc, width: number, ink: Ink): void {
  stroke(c, d, arc.from, arc.to, width, ink.far);
  const length = (arc.to - arc.from) * whole * d.r;
  if (length > 4) stroke(c, d, arc.from, arc.to, width - 2.6, ink.ground, gapOf(length) + 1.3);
}

/** Leaves room between neighbours, where there is any. */
function gapOf(length: number): number {
  return length > 6 ? 0.75 : length > 2 ? 0.25 : 0;
}

/** Draws a part of the circle, shortened at both ends by a gap. */
function stroke(c: Context, d: Disc, from: number, to: number, width: number, colour: string, gap?: number): void {
  const length = (to - from) * whole * d.r;
  const short = to - from >= 1 ? 0 : (gap ?? gapOf(length)) / d.r;
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.beginPath();
  c.arc(d.cx, d.cy, d.r, angle(from) + short, angle(to) - short);
  c.stroke();
}

/** This computer in the middle, and around it how full its memory of addresses is. */
export function paintHub(c: Context, d: Disc, fill: number, ink: Ink): void {
  const r = d.r * hub;
  c.lineWidth = Math.max(2, d.r * 0.014);
  c.strokeStyle = ink.rim;
  c.beginPath();
  c.arc(d.cx, d.cy, r, 0, whole);
  c.stroke();
  if (fill > 0) {
    c.strokeStyle = ink.ours;
    c.beginPath();
    c.arc(d.cx, d.cy, r, angle(0), angle(Math.min(1, Math.max(0.004, fill))));
    c.stroke();
  }
  c.fillStyle = ink.ours;
  c.beginPath();
  c.arc(d.cx, d.cy, Math.max(3, d.r * 0.026), 0, whole);
  c.fill();
}

/** Sites, brightest last. Those of one brightness are one path. */
export function paintStars(c: Context, d: Disc, scene: Scene, ink: Ink, now: number): void {
  const paths = Array.from({ length: steps }, () => new Path2D());
  const halos = new Path2D();
  const many = scene.stars.size > 400 ? 0.75 : 1;
  for (const star of scene.stars.all()) {
    const bright = brightness(star.last === null ? null : now - star.last);
    const n = step(bright);
    const p = scene.starPoint(d, star);
    const r = Math.max(1.1, d.r * 0.0105 * (0.75 + 0.5 * bright) * many);
    paths[n]!.moveTo(p.x + r, p.y);
    paths[n]!.arc(p.x, p.y, r, 0, whole);
    if (n === steps - 1) {
      halos.moveTo(p.x + r * 2.3, p.y);
      halos.arc(p.x, p.y, r * 2.3, 0, whole);
    }
  }
  c.fillStyle = ink.star;
  c.globalAlpha = 0.11;
  c.fill(halos);
  paths.forEach((path, n) => {
    c.globalAlpha = ofStep(n);
    c.fill(path);
  });
  c.globalAlpha = 1;
}

/** The middle and the names where only members are shown. */
export function paintShares(c: Context, d: Disc, scene: Scene, ink: Ink, words: Captions): void {
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.fillStyle = ink.ink;
  c.font = font(Math.round(d.r * 0.26), true);
  c.fillText(words.share, d.cx, d.cy - d.r * 0.1);
  c.font = font(Math.max(12, Math.round(d.r * 0.078)));
  c.fillText(words.shareOf, d.cx, d.cy + d.r * 0.1);
  c.fillStyle = ink.soft;
  const line = Math.max(15, d.r * 0.1);
  wrap(words.coverage, d.r * 1.45, (text) => c.measureText(text).width).forEach((text, i) => c.fillText(text, d.cx, d.cy + d.r * 0.12 + line * (i + 1.2)));
  const size = Math.max(11, Math.round(d.r * 0.066));
  c.font = font(size);
  c.textBaseline = "middle";
  for (const arc of scene.arcs) {
    const at = (arc.from + arc.to) / 2;
    const side = Math.sin(at * whole);
    // At the sides names stand above each other, elsewhere beside each other.
    if ((arc.to - arc.from) * whole * d.r < size * (Math.abs(side) > 0.8 ? 2.8 : 4.8)) continue;
    const p = onDisc(d, at, 1 + (band(d) + size * 0.6) / d.r);
    const up = Math.cos(at * whole);
    c.textAlign = Math.abs(side) < 0.25 ? "center" : side > 0 ? "left" : "right";
    c.fillStyle = scene.members[arc.member]?.self ? ink.ink : ink.soft;
    const lines = words.name(arc.member);
    lines.forEach((line, i) => c.fillText(line, p.x, p.y + size * (1.3 * (i - (lines.length - 1) / 2) - up * 0.8), d.cx - d.r - band(d) - 4));
  }
}

/** What rests lies in dusk, with the reason in the middle; the sites around it are seen. */
export function paintDusk(c: Context, d: Disc, reason: string, ink: Ink): void {
  const shade = c.createRadialGradient(d.cx, d.cy, 0, d.cx, d.cy, d.r + band(d));
  shade.addColorStop(0, `rgb(${ink.dusk} / 94%)`);
  shade.addColorStop(0.5, `rgb(${ink.dusk} / 88%)`);
  shade.addColorStop(0.72, `rgb(${ink.dusk} / 30%)`);
  shade.addColorStop(1, `rgb(${ink.dusk} / 25%)`);
  c.fillStyle = shade;
  c.beginPath();
  c.arc(d.cx, d.cy, d.r + band(d) * 1.5, 0, whole);
  c.fill();
  const size = Math.max(14, Math.round(d.r * 0.085));
  c.font = font(size, true);
  c.fillStyle = ink.ink;
  c.textAlign = "center";
  c.textBaseline = "middle";
  const lines = wrap(reason, d.r * 1.1, (text) => c.measureText(text).width).slice(0, 7);
  const top = d.cy - ((lines.length - 1) * size * 1.35) / 2;
  lines.forEach((line, i) => c.fillText(line, d.cx, top + i * size * 1.35));
}

/** Breaks a sentence into lines no wider than width; a word that is wider has a line of its own. */
export function wrap(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = line ? `${line} ${word}` : word;
    if (line && measure(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  if (line) lines.push(line);
  return lines;
}
