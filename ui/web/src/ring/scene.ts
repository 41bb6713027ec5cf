// What the picture shows, as far as it lasts.

import type { Ring } from "../types";
import { arcAt, depth, joined, onDisc, placeOf, seat, type Arc, type Disc, type Point } from "./geometry";
import type { Map } from "./marks";
import { around, reachOf, sizeOf, type Place } from "./orbit";
import { Stars, type Star } from "./stars";

export type Mode = "ring" | "swarm";

export interface Member {
  id: string;
  self: boolean;
  connected: boolean;
  share: number;
  /** Round trip in milliseconds, -1 if nobody knows it. */
  away_ms: number;
  /** Direction as a part of a turn clockwise from the top, -1 if nobody knows it. */
  bearing: number;
}

/** What is at a place. */
export interface Spot {
  /** The place on the ring, or where only members are shown, the direction. */
  at: number;
  star: Star | null;
  /** Index of the owner, -1 if nobody owns it. */
  member: number;
}

const reach = 12;

export class Scene {
  readonly stars = new Stars();
  mode: Mode = "ring";
  /** What is said in the middle while the node rests, "" while it does not. */
  dusk = "";
  members: Member[] = [];
  fill = -1;
  arcs: readonly Arc[] = [];
  /** Where members stand around this node, null for one that owns nothing. */
  orbits: (Place | null)[] = [];
  /** The round trip of the last ring there. */
  reach = 0;
  private places = new globalThis.Map<string, number>();

  list(ring: Ring): void {
    this.members = ring.members;
    this.places = new globalThis.Map(ring.members.map((m, i) => [m.id, i]));
    this.arcs = joined(ring.arcs);
    this.place();
    this.fill = ring.fill;
    this.stars.list(ring.domains);
  }

  private place(): void {
    const self = this.members[this.self];
    const middle = sizeOf(self?.share ?? 0);
    const others = this.members.map((m, i) => ({ i, ms: m.away_ms, bearing: m.bearing, seat: seat(this.arcs, i), share: m.share }));
    const drawn = others.filter((o) => o.seat >= 0 && o.i !== this.self);
    const places = around(drawn, middle);
    this.reach = reachOf(drawn);
    this.orbits = this.members.map((m) => (m === self ? { at: 0, part: 0, size: middle } : null));
    drawn.forEach((o, n) => (this.orbits[o.i] = places[n]!));
  }

  get self(): number {
    return this.members.findIndex((m) => m.self);
  }

  map(): Map {
    return {
      arcs: this.arcs,
      self: this.self,
      index: (peer) => this.places.get(peer) ?? -1,
      depth: (domain) => depth(this.stars.get(domain)?.fetched ?? 0),
      orbits: this.mode === "swarm" ? this.orbits : null,
    };
  }

  starPoint(d: Disc, star: Star): Point {
    return onDisc(d, star.at, depth(star.fetched));
  }

  private owner(at: number): number {
    return this.arcs[arcAt(this.arcs, at)]?.member ?? -1;
  }

  /** What is at a point of the picture, null outside of the ring. */
  hit(d: Disc, p: Point): Spot | null {
    if (this.mode === "swarm") return this.hitMember(d, p);
    const { at, part } = placeOf(d, p);
    if (part > 1.15 || this.arcs.length === 0) return null;
    let star: Star | null = null;
    let best = reach * reach;
    for (const s of this.stars.all()) {
      const q = this.starPoint(d, s);
      const far = (q.x - p.x) ** 2 + (q.y - p.y) ** 2;
      if (far < best) {
        best = far;
        star = s;
      }
    }
    const place = star?.at ?? at;
    return { at: place, star, member: this.owner(place) };
  }

  private hitMember(d: Disc, p: Point): Spot | null {
    let found: Spot | null = null;
    let best = Infinity;
    this.orbits.forEach((o, member) => {
      if (!o) return;
      const q = onDisc(d, o.at, o.part);
      const far = Math.hypot(q.x - p.x, q.y - p.y);
      if (far > Math.max(reach, o.size * d.r) || far >= best) return;
      best = far;
      found = { at: o.at, star: null, member };
    });
    return found;
  }

  /** The next thing to look at from a spot, by one step on or back; from nowhere, the first. */
  next(from: Spot | null, way: 1 | -1, arcsOnly: boolean): Spot | null {
    const stops = this.mode === "swarm" ? this.standing() : this.stops(arcsOnly);
    if (stops.length === 0) return null;
    if (from === null) return stops[way === 1 ? 0 : stops.length - 1]!;
    if (this.mode === "swarm") return stops.at((stops.findIndex((s) => s.member === from.member) + way) % stops.length)!;
    const near = 1e-9;
    if (way === 1) return stops.find((s) => s.at > from.at + near) ?? stops[0]!;
    return stops.findLast((s) => s.at < from.at - near) ?? stops.at(-1)!;
  }

  /** Members from the nearest to the farthest. */
  private standing(): Spot[] {
    return this.orbits.flatMap((o, member) => (o ? [{ at: o.at, star: null, member }] : []));
  }

  private stops(arcsOnly: boolean): Spot[] {
    const stars = arcsOnly ? [] : this.stars.inOrder();
    if (stars.length > 0) return stars.map((star) => ({ at: star.at, star, member: this.owner(star.at) }));
    return this.arcs.map((a) => ({ at: (a.from + a.to) / 2, star: null, member: a.member }));
  }
}
