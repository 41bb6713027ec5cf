// The colours of the picture, which the style sheet decides.

const names = ["ground", "rim", "ours", "glow", "near", "far", "star", "page", "link", "lease", "moved", "bad", "ink", "soft", "dusk"] as const;

export type Ink = Record<(typeof names)[number], string>;

export function inkOf(element: Element): Ink {
  const style = getComputedStyle(element);
  return Object.fromEntries(names.map((n) => [n, style.getPropertyValue(`--ring-${n}`).trim() || "#888"])) as Ink;
}

export const font = (size: number, bold = false): string => `${bold ? "600 " : ""}${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif`;
