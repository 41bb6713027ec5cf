// What the picture shows, as far as it lasts.

import type { Ring } from "../types";
import { arcAt, depth, joined, onDisc, placeOf, shares, type Arc, type Disc, type Point } from "./geometry";
import type { Map } from "./marks";
import { Stars, type Star } from "./stars";

export type Mode = "ring" | "swarm";

export interface Member {
  id: string;
  self: boolean;
  connected: boolean;
  share: number;
  /** Round trip in milliseconds, -1 if nobody knows it. */
  away_ms: number;
}

/** What is at a place. */
export interface Spot {
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
  private real: Arc[] = [];
  private parts: Arc[] = [];
  private places = new globalThis.Map<string, number>();

  list(ring: Ring): void {
    this.members = ring.members;
    this.places = new globalThis.Map(ring.members.map((m, i) => [m.id, i]));
    this.real = joined(ring.arcs);
    this.parts = shares(ring.arcs, ring.members.length);
    this.fill = ring.fill;
    this.stars.list(ring.domains);
  }

  get arcs(): readonly Arc[] {
    return this.mode === "swarm" ? this.parts : this.real;
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
      swarm: this.mode === "swarm",
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
    const { at, part } = placeOf(d, p);
    if (part > 1.15 || this.arcs.length === 0) return null;
    let star: Star | null = null;
    if (this.mode === "ring") {
      let best = reach * reach;
      for (const s of this.stars.all()) {
        const q = this.starPoint(d, s);
        const far = (q.x - p.x) ** 2 + (q.y - p.y) ** 2;
        if (far < best) {
          best = far;
          star = s;
        }
      }
    }
    const place = star?.at ?? at;
    return { at: place, star, member: this.owner(place) };
  }

  /** The next thing to look at from a spot, by one step on or back; from nowhere, the first. */
  next(from: Spot | null, way: 1 | -1, arcsOnly: boolean): Spot | null {
    const stops = this.stops(arcsOnly || this.mode === "swarm");
    if (stops.length === 0) return null;
    if (from === null) return stops[way === 1 ? 0 : stops.length - 1]!;
    const near = 1e-9;
    if (way === 1) return stops.find((s) => s.at > from.at + near) ?? stops[0]!;
    return stops.findLast((s) => s.at < from.at - near) ?? stops.at(-1)!;
  }

  private stops(arcsOnly: boolean): Spot[] {
    const stars = arcsOnly ? [] : this.stars.inOrder();
    if (stars.length > 0) return stars.map((star) => ({ at: star.at, star, member: this.owner(star.at) }));
    return this.arcs.map((a) => ({ at: (a.from + a.to) / 2, star: null, member: a.member }));
  }
}
