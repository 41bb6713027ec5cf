// The page that is shown is in the fragment: #/mine?q=words.

import { signal } from "@preact/signals";

export const pages = ["now", "mine", "swarm", "neighbour", "log", "settings"] as const;
export type PageName = (typeof pages)[number];

export interface Route {
  page: PageName;
  params: URLSearchParams;
}

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const page = pages.find((p) => p === path) ?? "now";
  return { page, params: new URLSearchParams(query) };
}

export const route = signal<Route>(parse(location.hash));

addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

export function href(page: PageName, params: Record<string, string> = {}): string {
  const query = new URLSearchParams(params).toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}

/** Turns to a page in the place of the address that led here, which the history forgets. */
export function turn(hash: string): void {
  const to = parse(hash);
  history.replaceState(null, "", location.pathname + href(to.page, Object.fromEntries(to.params)));
  route.value = to;
}
