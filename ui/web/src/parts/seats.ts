// The list of sites that are visited: each keeps its row while it is visited and for a while after, so that nobody's eye jumps.

import type { Event, Visit } from "../types";

/** A row of the list. */
export interface Seat {
  domain: string;
  url: string;
  /** The visit, null when it is over. */
  visit: Visit | null;
  /** When it ended, in milliseconds; 0 while it has not. */
  ended: number;
}

/** A visit that is over stays at least so long. */
export const stays = 4000;

/** Who sits where now, after before. New visits take rows that are free, then those of visits that are over for longest. */
export function seated(before: readonly Seat[], visits: readonly Visit[], rows: number, now: number): Seat[] {
  const running = new Map(visits.map((v) => [v.domain, v]));
  const seats = before.map((s): Seat => {
    const visit = running.get(s.domain) ?? null;
    running.delete(s.domain);
    if (visit) return seatOf(visit);
    return { ...s, visit: null, ended: s.ended || now };
  });
  for (const visit of running.values()) {
    if (seats.length < rows) {
      seats.push(seatOf(visit));
      continue;
    }
    let oldest = -1;
    seats.forEach((s, i) => {
      if (!s.visit && now - s.ended >= stays && (oldest < 0 || s.ended < seats[oldest]!.ended)) oldest = i;
    });
    if (oldest < 0) break; // there will be room soon
    seats[oldest] = seatOf(visit);
  }
  return seats;
}

const seatOf = (visit: Visit): Seat => ({ domain: visit.domain, url: visit.url, visit, ended: 0 });

/** Fills rows that are left with the sites visited last, as events tell. */
export function remembered(seats: readonly Seat[], events: readonly Event[], rows: number): Seat[] {
  const list = [...seats];
  const known = new Set(list.map((s) => s.domain));
  for (let i = events.length - 1; i >= 0 && list.length < rows; i--) {
    const e = events[i]!;
    if (e.kind !== "page" || e.domain === "" || known.has(e.domain)) continue;
    known.add(e.domain);
    list.push({ domain: e.domain, url: e.url, visit: null, ended: Date.parse(e.time) });
  }
  return list;
}
