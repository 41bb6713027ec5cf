// The pages of one site as a tree of the parts of their addresses.

import type { Event } from "../types";

export interface Branch {
  /** The last part of the path. */
  name: string;
  /** The page there, if it was fetched: the latest event about it. */
  page: Event | null;
  children: Branch[];
}

/** More pages than these, or deeper ones, are hard to read. */
export const mostPages = 24;
const deepest = 5;

/** The tree of the latest pages of a site. Pages that are deeper than can be shown hang from the deepest part shown. */
export function treeOf(events: readonly Event[], domain: string): Branch {
  const root: Branch = { name: domain, page: null, children: [] };
  const seen = new Set<string>();
  for (let i = events.length - 1; i >= 0 && seen.size < mostPages; i--) {
    const e = events[i]!;
    if (e.domain !== domain || e.kind !== "page" || seen.has(e.url)) continue;
    const parts = partsOf(e, domain);
    if (!parts) continue;
    seen.add(e.url);
    plant(root, parts, e);
  }
  sort(root);
  return root;
}

function plant(root: Branch, parts: string[], e: Event): void {
  let at = root;
  const path = parts.length > deepest ? [...parts.slice(0, deepest - 1), parts.slice(deepest - 1).join("/")] : parts;
  for (const name of path) {
    let next = at.children.find((c) => c.name === name);
    if (!next) at.children.push((next = { name, page: null, children: [] }));
    at = next;
  }
  at.page ??= e;
}

/** The parts of an address below the site: its host, where that is another name, then the path. */
function partsOf(e: Event, domain: string): string[] | null {
  let url: URL;
  try {
    url = new URL(e.url);
  } catch {
    return null;
  }
  const host = url.hostname === domain || url.hostname === `www.${domain}` ? [] : [url.hostname];
  const path = url.pathname.split("/").filter(Boolean).map(readable);
  if (url.search) path.push(readable(url.search));
  return [...host, ...path];
}

function readable(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function sort(b: Branch): void {
  b.children.sort((x, y) => x.name.localeCompare(y.name));
  b.children.forEach(sort);
}

/** How long a site is shown before another takes its place, in milliseconds. */
export const stay = 8000;

/** The site to show: the one of the latest page, but none for less than a while. */
export function siteOf(events: readonly Event[], shown: { domain: string; since: number }, now: number): { domain: string; since: number } {
  const latest = events.findLast((e) => e.kind === "page" && e.domain !== "")?.domain;
  if (latest === undefined || latest === shown.domain) return shown;
  if (shown.domain !== "" && now - shown.since < stay) return shown;
  return { domain: latest, since: now };
}
