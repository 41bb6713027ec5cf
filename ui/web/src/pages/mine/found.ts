// What is worked out of what a search found.

import type { Found, InLink, SearchPage } from "../../types";

/** The query that shows all of one site. */
export function ofSite(query: string, domain: string): string {
  const words = query.split(/\s+/).filter((word) => word && !/^site:/i.test(word));
  return [...words, `site:${domain}`].join(" ");
}

/** An answer with what comes after it. What is in both is kept once: pages may have come in between. */
export function joined(old: SearchPage, more: SearchPage): SearchPage {
  const known = new Set(old.results.map((f) => f.id));
  return { ...more, results: old.results.concat(more.results.filter((f) => !known.has(f.id))) };
}

export interface LinkingSite {
  site: string;
  links: InLink[];
}

/** Links by the site they come from, the sites in the order in which they appear. */
export function bySite(list: InLink[]): LinkingSite[] {
  const sites = new Map<string, LinkingSite>();
  for (const link of list) {
    const known = sites.get(link.site);
    if (known) known.links.push(link);
    else sites.set(link.site, { site: link.site, links: [link] });
  }
  return [...sites.values()];
}

/** The languages of a browser without regions and the like, each once. */
export function primary(languages: readonly string[]): string[] {
  const subtags = languages.map((tag) => tag.split("-")[0]!.toLowerCase()).filter((tag) => /^[a-z]{2,3}$/.test(tag));
  return [...new Set(subtags)];
}

/** What a language is called in another, "" for what is none. */
export function languageName(tag: string, inLanguage: string): string {
  if (!/^[a-z]{2,3}$/i.test(tag)) return "";
  try {
    return new Intl.DisplayNames(inLanguage, { type: "language", fallback: "none" }).of(tag) ?? "";
  } catch {
    return "";
  }
}

/** The domain of an address or of a domain, as far as it can be told. */
export function hostOf(target: string): string {
  try {
    return new URL(target.includes("://") ? target : `http://${target}`).hostname;
  } catch {
    return target;
  }
}

/** A page's name: its title or, if it has none, its address. */
export const nameOf = (f: Pick<Found, "title" | "url">): string => f.title || f.url;
