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
