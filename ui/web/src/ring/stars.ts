// The sites of this node as points of the ring: as the node listed them, and as events say since.

import type { Event } from "../types";

export interface Star {
  at: number;
  domain: string;
  fetched: number;
  /** When a page was fetched last, in milliseconds; null is not known. */
  last: number | null;
  /** The ISO 639 code of what the latest page is in that says so, "" if none is known. */
  language: string;
}

export interface Listed {
  at: number;
  domain: string;
  fetched: number;
  last: string | null;
  language: string;
}

/** At most so many are drawn; those that were not visited for longest give way. */
export const mostStars = 2000;

export class Stars {
  /** In the order of visits, the latest last. */
  private byDomain = new Map<string, Star>();

  /** Takes a new list. What an event told later than the list is kept. */
  list(domains: readonly Listed[]): void {
    const next = domains.slice(0, mostStars).map((d): Star => {
      const before = this.byDomain.get(d.domain);
      const last = d.last ? Date.parse(d.last) : null;
      const language = before && (before.last ?? 0) > (last ?? 0) ? before.language || d.language : d.language;
      return { at: d.at, domain: d.domain, fetched: d.fetched, last: latest(before?.last ?? null, last), language };
    });
    next.sort((a, b) => (a.last ?? 0) - (b.last ?? 0));
    this.byDomain = new Map(next.map((star) => [star.domain, star]));
  }

  /** Takes what came of a visit to an own site; the answer is whether anything changed. */
  note(e: Event): boolean {
    if (e.code === "domain-left") return this.byDomain.delete(e.domain);
    if ((e.code !== "fetched" && e.code !== "unchanged") || e.peer !== "" || !(e.at >= 0 && e.at < 1)) return false;
    const star = this.byDomain.get(e.domain) ?? { at: e.at, domain: e.domain, fetched: 0, last: null, language: "" };
    if (e.code === "fetched") {
      star.fetched++;
      star.language = e.language || star.language;
    }
    star.last = latest(star.last, Date.parse(e.time));
    this.byDomain.delete(e.domain);
    this.byDomain.set(e.domain, star);
    if (this.byDomain.size > mostStars) this.byDomain.delete(this.byDomain.keys().next().value!);
    return true;
  }

  get(domain: string): Star | undefined {
    return this.byDomain.get(domain);
  }

  get size(): number {
    return this.byDomain.size;
  }

  all(): Iterable<Star> {
    return this.byDomain.values();
  }

  /** One of the sites that were visited, the nth from the latest back; after the first visited comes the latest again. */
  remembered(nth: number): Star | null {
    const visited = [...this.byDomain.values()].filter((s) => s.fetched > 0);
    return visited.at(-1 - (nth % Math.max(1, visited.length))) ?? null;
  }

  /** All in the order of their places. */
  inOrder(): Star[] {
    return [...this.byDomain.values()].sort((a, b) => a.at - b.at);
  }
}

/** The languages of sites, those of most of them first. */
export function languagesOf(sites: Iterable<Pick<Listed, "language">>): string[] {
  const count = new Map<string, number>();
  for (const { language } of sites) if (language) count.set(language, (count.get(language) ?? 0) + 1);
  return [...count].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([code]) => code);
}

function latest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
