// The part of the picture that stays: arcs, the middle, sites, and dusk.

import { brightness, ofStep, step, steps } from "./age";
import { angle, depth, onDisc, whole, type Arc, type Disc, type Point } from "./geometry";
import { font, starInk, type Ink } from "./ink";
import { partOf, rings, Room } from "./orbit";
import type { Member, Scene } from "./scene";

type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** The disc of a picture with sides of so many pixels. */
export function discOf(side: number, mode: "ring" | "swarm"): Disc {
  const margin = mode === "swarm" ? Math.max(24, side * 0.09) : Math.max(16, side * 0.045); // names stand at the rim
  return { cx: side / 2, cy: side / 2, r: side / 2 - margin };
}

export const band = (d: Disc): number => Math.max(7, d.r * 0.062);
const hub = 0.13;
const glows = 6;
/** Lines for so many pages help the eye. */
const guides = [9, 99, 999];

/** Words at the members, in the user's language. */
export interface Captions {
  /** A round trip at the scale. */
  away(ms: number): string;
  /** The lines at a member. */
  name(m: Member): string[];
}

export function paintArcs(c: Context, d: Disc, scene: Scene, ink: Ink): void {
  c.fillStyle = ink.ground;
  c.beginPath();
  c.arc(d.cx, d.cy, d.r + band(d) / 2, 0, whole);
  c.fill();
  if (scene.mode === "swarm") return;
  paintGuides(c, d, ink);
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

/** Sites, brightest last. Those of one brightness and colour are one path. */
export function paintStars(c: Context, d: Disc, scene: Scene, ink: Ink, now: number): void {
  const paths = Array.from({ length: steps }, () => new Map<string, Path2D>());
  const halos = new Map<string, Path2D>();
  const circle = (of: Map<string, Path2D>, colour: string, p: Point, r: number) => {
    const path = of.get(colour) ?? new Path2D();
    of.set(colour, path);
    path.moveTo(p.x + r, p.y);
    path.arc(p.x, p.y, r, 0, whole);
  };
  const many = scene.stars.size > 400 ? 0.75 : 1;
  for (const star of scene.stars.all()) {
    const bright = brightness(star.last === null ? null : now - star.last);
    const n = step(bright);
    const p = scene.starPoint(d, star);
    const r = Math.max(1.1, d.r * 0.0125 * (0.75 + 0.5 * bright) * many);
    const colour = starInk(ink, star.language);
    circle(paths[n]!, colour, p, r);
    if (n === steps - 1) circle(halos, colour, p, r * 2.3);
  }
  const fill = (of: Map<string, Path2D>, alpha: number) => {
    c.globalAlpha = alpha;
    for (const [colour, path] of of) {
      c.fillStyle = colour;
      c.fill(path);
    }
  };
  fill(halos, 0.11);
  paths.forEach((of, n) => fill(of, ofStep(n)));
  c.globalAlpha = 1;
}

/** At most so many names are written; of the others one learns who points at them. */
const mostNames = 48;

/** The members around this node, with rings for how far they are. */
export function paintSwarm(c: Context, d: Disc, scene: Scene, ink: Ink, words: Captions): void {
  const room = new Room(2 * d.cx);
  const points = scene.orbits.map((o) => o && onDisc(d, o.at, o.part));
  scene.orbits.forEach((o, i) => o && room.take(points[i]!.x, points[i]!.y, o.size * d.r));
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.font = font(11);
  c.lineWidth = 1;
  c.strokeStyle = ink.rim;
  c.fillStyle = ink.soft;
  circle(c, { x: d.cx, y: d.cy }, d.r);
  c.stroke();
  for (const ms of rings(scene.reach)) {
    const part = partOf(ms, scene.reach);
    circle(c, { x: d.cx, y: d.cy }, d.r * part);
    c.stroke();
    label(c, room, onDisc(d, 0, part), 0, 11, [words.away(ms)]);
  }
  scene.orbits.forEach((o, i) => o && paintMember(c, points[i]!, o.size * d.r, scene.members[i]!, ink));
  const size = Math.max(11, Math.round(d.r * 0.06));
  c.font = font(size);
  scene.orbits.slice(0, mostNames).forEach((o, i) => {
    c.fillStyle = scene.members[i]!.self ? ink.ink : ink.soft;
    if (o) label(c, room, points[i]!, o.size * d.r, size, words.name(scene.members[i]!));
  });
}

function paintMember(c: Context, p: Point, size: number, m: Member, ink: Ink): void {
  if (m.self) {
    c.globalAlpha = 0.25;
    c.fillStyle = ink.glow;
    circle(c, p, size + 4);
    c.fill();
    c.globalAlpha = 1;
  }
  c.fillStyle = m.self ? ink.ours : m.connected ? ink.near : ink.ground;
  c.strokeStyle = ink.far;
  c.lineWidth = 1.3;
  circle(c, p, m.self || m.connected ? size : size - 0.65);
  c.fill();
  if (!m.self && !m.connected) c.stroke();
}

function circle(c: Context, p: Point, r: number): void {
  c.beginPath();
  c.arc(p.x, p.y, r, 0, whole);
}

/** Writes lines beside a circle, where there is room for them. */
function label(c: Context, room: Room, p: Point, size: number, text: number, lines: string[]): void {
  const high = text * 1.25;
  const wide = Math.max(...lines.map((line) => c.measureText(line).width));
  const box = room.beside(p.x, p.y, size, wide, high * lines.length);
  if (box) lines.forEach((line, i) => c.fillText(line, box.x + wide / 2, box.y + high * (i + 0.5)));
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

/** A text no wider than a width, with an ellipsis if it was. */
export function fitted(text: string, width: number, measure: (text: string) => number): string {
  if (measure(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 0 && measure(`${letters.join("").trimEnd()}…`) > width) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}
