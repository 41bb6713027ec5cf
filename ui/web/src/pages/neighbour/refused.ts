// Looks through the domains of the node for sites that asked for less: a part at a time, since there may be very many.

import { get } from "../../api";
import { lang } from "../../i18n";
import type { Domain } from "../../types";

export interface Looked {
  /** Sites that refused, the ones that did so most often first. */
  found: Domain[];
  /** How many were looked through. */
  seen: number;
  /** After which name to go on, "" at the end. */
  after: string;
  done: boolean;
}

export const none: Looked = { found: [], seen: 0, after: "", done: false };

const page = 500;
/** More are not kept: the page is to be read. */
export const mostFound = 200;

export async function lookOn(from: Looked, signal: AbortSignal): Promise<Looked> {
  const { domains } = await get<{ domains: Domain[] }>("/api/domains", { after: from.after, limit: page, lang: lang.value }, signal);
  return merge(from, domains, page);
}

/** Adds a part of the list; one that is shorter than it could be was the last. */
export function merge(from: Looked, domains: readonly Domain[], limit: number): Looked {
  const found = from.found
    .concat(domains.filter((d) => weight(d) > 0))
    .sort((a, b) => weight(b) - weight(a) || a.domain.localeCompare(b.domain))
    .slice(0, mostFound);
  return { found, seen: from.seen + domains.length, after: domains.at(-1)?.domain ?? from.after, done: domains.length < limit };
}

const weight = (d: Domain): number => d.refusals + d.challenges + d.backoffs;
