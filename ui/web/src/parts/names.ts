// Short names of long things.

/** The path of an address, for where the site is named beside it. */
export function pathOf(url: string): string {
  try {
    const u = new URL(url);
    return decodeURI(u.pathname + u.search);
  } catch {
    return url;
  }
}

/** The end of a node's ID, which tells nodes apart better than its beginning. */
export const shortName = (id: string): string => (id.length > 8 ? `…${id.slice(-6)}` : id);
