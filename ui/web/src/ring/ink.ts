// The colours of the picture, which the style sheet decides.

import { dark, hueOf, light } from "./hues";

const names = ["ground", "rim", "ours", "glow", "near", "far", "star", "page", "link", "lease", "moved", "bad", "ink", "soft", "dusk"] as const;

/** Colours, and those of languages. */
export type Ink = Record<(typeof names)[number], string> & { hues: readonly string[] };

/** The colour of a site whose latest page is in a language. */
export const starInk = (ink: Ink, language: string): string => ink.hues[hueOf(language)] ?? ink.star;

export function inkOf(element: Element): Ink {
  const style = getComputedStyle(element);
  const all = Object.fromEntries(names.map((n) => [n, style.getPropertyValue(`--ring-${n}`).trim() || "#888"]));
  return { ...all, hues: matchMedia("(prefers-color-scheme: dark)").matches ? dark : light } as Ink;
}

export const font = (size: number, bold = false): string => `${bold ? "600 " : ""}${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif`;
