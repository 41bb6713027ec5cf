// Short names of long things.

import { t } from "../i18n";

/** The path of an address, for where the site is named beside it. */
export function pathOf(url: string): string {
  try {
    const u = new URL(url);
    return decodeURI(u.pathname + u.search);
  } catch {
    return url;
  }
}

/** A node's name: two words, and the end of its ID. */
export const peerName = (id: string): string => `${nickname(id)} ${shortName(id)}`.trim();

/** Two words that a node's ID decides, "" if that is so short that it needs none. */
export function nickname(id: string): string {
  if (shortName(id) === id) return "";
  let sum = 0x811c9dc5; // FNV-1a
  for (const byte of new TextEncoder().encode(id)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  const [first, last] = [t("ring.nick.first").split(","), t("ring.nick.last").split(",")];
  return `${first[(sum & 0xffff) % first.length]} ${last[(sum >>> 16) % last.length]}`;
}

/** The end of a node's ID, which tells nodes apart better than its beginning. */
export const shortName = (id: string): string => (id.length > 8 ? `…${id.slice(-6)}` : id);
