// The same events in words, for who does not see the picture.

import { clockTime, has, isolated, t } from "../i18n";
import { peerName } from "../parts/names";
import type { Event } from "../types";

/** What an event says, without its time. */
export function told(e: Event): string {
  const key = `ring.event.${e.code}`;
  if (!has(key) && !has(`${key}.other`)) return e.title || e.domain; // its text is English
  const text = t(key, { n: e.count, domain: e.domain, peer: peerName(e.peer) });
  return e.code === "fetched" && e.title ? t("ring.titled", { text, title: isolated(e.title) }) : text;
}

export const toldAt = (e: Event): string => clockTime(e.time, true);
