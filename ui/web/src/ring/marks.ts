// What flies over the ring. Every mark comes from one event, and is nothing without its place.

import type { Event } from "../types";
import { depth, seat, type Arc } from "./geometry";
import type { Place } from "./orbit";

/** How a mark goes: from the middle out, between two places, or not at all since nothing was sent. */
export type Way = "out" | "over" | "here";
export type Shape = "ghost" | "spark" | "ring" | "cross" | "dot" | "bar" | "links" | "lease" | "domain";

export interface Mark {
  /** The event's id. */
  id: number;
  shape: Shape;
  way: Way;
  /** Places; from has none (-1) where the mark comes from the middle. */
  from: number;
  to: number;
  /** Parts of the radius where it begins, unless it comes from the middle, and where it ends. */
  start: number;
  part: number;
  /** It is about another member's domain, or goes to or comes from one that is another's. */
  foreign: boolean;
  /** What is said beside it, "" for nothing, and the language of the page, "" if it is not known. */
  label: string;
  language: string;
  /** Milliseconds, as the page counts them. */
  begin: number;
  end: number;
}

interface Kind {
  shape: Shape;
  way: Way;
  /** From another to this node, where it goes over. */
  inward?: boolean;
}

const kinds: Record<string, Kind> = {
  fetched: { shape: "spark", way: "out" },
  unchanged: { shape: "ring", way: "out" },
  redirected: { shape: "ring", way: "out" },
  skipped: { shape: "ring", way: "out" },
  gone: { shape: "cross", way: "out" },
  failed: { shape: "cross", way: "out" },
  refused: { shape: "cross", way: "out" },
  robots: { shape: "dot", way: "out" },
  // Nothing was requested for these, so nothing flies.
  forbidden: { shape: "bar", way: "here" },
  "domain-refused": { shape: "bar", way: "here" },
  "links-sent": { shape: "links", way: "over" },
  "links-received": { shape: "links", way: "over", inward: true },
  "lease-lent": { shape: "lease", way: "over" },
  "lease-returned": { shape: "lease", way: "over", inward: true },
  "lease-held": { shape: "lease", way: "over", inward: true },
  "lease-brought": { shape: "lease", way: "over" },
  "domain-came": { shape: "domain", way: "over", inward: true },
  "domain-left": { shape: "domain", way: "over" },
};

/** How long a mark is on its way, and how long it is seen where it ended, in milliseconds. */
export const flight: Record<Way, number> = { out: 800, over: 1300, here: 0 };
export const after = 600;

/** What the marks need to know of the ring. Members are told apart by their index. */
export interface Map {
  arcs: readonly Arc[];
  self: number;
  index(peer: string): number;
  /** Part of the radius of a site. */
  depth(domain: string): number;
  /** Where members stand if only they are shown: then only what goes between them has a place. */
  orbits: readonly (Place | null)[] | null;
}

/** The mark of an event, null if it has none or no place for it is known. */
export function markOf(e: Event, m: Map, begin: number): Mark | null {
  const kind = kinds[e.code];
  if (!kind) return null;
  const base = { id: e.id, shape: kind.shape, way: kind.way, label: "", language: e.language, begin, end: begin + flight[kind.way] + after };
  if (kind.way === "over") {
    const other = m.index(e.peer);
    const ends = between(e, m, other, kind.inward === true);
    return ends && { ...base, start: 1, part: 1, ...ends, foreign: true };
  }
  if (m.orbits || !known(e.at)) return null;
  return { ...base, from: -1, start: 0, to: e.at, part: e.domain ? m.depth(e.domain) : 1, foreign: e.peer !== "" };
}

/** How long the ghost of a visit is seen, in milliseconds. */
export const ghostly = 3600;

/** The mark of a visit that is long over: what the picture shows while nothing happens. */
export function ghostOf(star: { at: number; domain: string; fetched: number; language: string }, begin: number): Mark {
  const base = { id: 0, shape: "ghost", way: "here", label: star.domain, language: star.language, foreign: false } as const;
  return { ...base, from: -1, start: 0, to: star.at, part: depth(star.fetched), begin, end: begin + ghostly };
}

/** How long a title is left alone by the next, in milliseconds. */
const titleLeast = 1600;

/** The title of a page that drifts in where its mark arrives, null if it has none or another is being read since a time. */
export function titleOf(e: Event, mark: Mark, since: number): Mark | null {
  const begin = mark.begin + flight[mark.way];
  if (mark.shape !== "spark" || mark.foreign || e.title === "" || (begin >= since && begin - since < titleLeast)) return null;
  return { ...mark, shape: "ghost", way: "here", from: -1, start: 0, label: e.title, begin, end: begin + ghostly };
}

const known = (at: number | undefined): at is number => typeof at === "number" && at >= 0 && at < 1;

/**
 * Between which places something went. The event's own is the domain's, where that lies in the arc of the one who has it;
 * the other end is the widest arc of the other one.
 */
function between(e: Event, m: Map, other: number, inward: boolean): Pick<Mark, "from" | "to"> & Partial<Mark> | null {
  if (other < 0) return null;
  if (m.orbits) {
    const [from, to] = inward ? [m.orbits[other], m.orbits[m.self]] : [m.orbits[m.self], m.orbits[other]];
    return from && to ? { from: from.at, start: from.part, to: to.at, part: to.part } : null;
  }
  const ours = seat(m.arcs, m.self);
  const theirs = seat(m.arcs, other);
  let [from, to] = inward ? [theirs, ours] : [ours, theirs];
  if (known(e.at)) {
    // A link goes to its domain; a lease or a domain is the domain's, wherever it goes.
    if (e.code.startsWith("links-") || e.code === "domain-came" || e.code === "domain-left") to = e.at;
    else if (e.code === "lease-lent" || e.code === "lease-held") from = e.at;
    else to = e.at;
  }
  return from < 0 || to < 0 ? null : { from, to };
}

/** A bounded number of marks; the oldest give way. */
export class Marks {
  private list: Mark[] = [];

  constructor(private readonly most: number) {}

  add(mark: Mark): void {
    this.list.push(mark);
    if (this.list.length > this.most) this.list.splice(0, this.list.length - this.most);
  }

  /** Those that are seen now. Ones that are over are forgotten. */
  at(now: number): readonly Mark[] {
    this.list = this.list.filter((m) => m.end > now);
    return this.list;
  }

  /** How many are seen now or will be: while there are any, frames are needed. */
  count(now: number): number {
    return this.list.reduce((n, m) => n + (m.end > now ? 1 : 0), 0);
  }

  clear(): void {
    this.list = [];
  }
}

/** Events older than the newest of their batch by more than this are not drawn: they were, or nobody looked. */
const catchUp = 3000;
/** Nor are those that are older than this by the clock. */
const stale = 60000;

/** When each event's mark begins: in the order and with the gaps in which they happened. Null is never. */
export function starts(batch: readonly Event[], now: number, clock: number): (number | null)[] {
  const times = batch.map((e) => Date.parse(e.time));
  const newest = Math.max(...times);
  if (!(clock - newest < stale)) return batch.map(() => null);
  const first = times.reduce((low, at) => (newest - at <= catchUp && at < low ? at : low), newest);
  return times.map((at) => (newest - at <= catchUp ? now + Math.min(1000, at - first) : null));
}
