// Texts in the user's language. The catalogue is assets/words, which the node and other front ends use too.

import { computed, signal } from "@preact/signals";

export type Lang = "en" | "de";
type Catalogue = Record<string, string>;

const english = import.meta.glob<Catalogue>("../../../assets/words/en/web-*.json", { eager: true, import: "default" });
const german = import.meta.glob<Catalogue>("../../../assets/words/de/web-*.json", { import: "default" });

const langKey = "forage.lang";
const catalogues: Partial<Record<Lang, Catalogue>> = { en: Object.assign({}, ...Object.values(english)) as Catalogue };

function preferred(): Lang {
  const chosen = localStorage.getItem(langKey);
  if (chosen === "en" || chosen === "de") return chosen;
  return navigator.languages.find((l) => /^(en|de)\b/.test(l))?.startsWith("de") ? "de" : "en";
}

/** The language of the page. */
export const lang = signal<Lang>("en");

const words = computed(() => catalogues[lang.value] ?? catalogues.en!);
const plural = computed(() => new Intl.PluralRules(lang.value));
const integer = computed(() => new Intl.NumberFormat(lang.value, { maximumFractionDigits: 0 }));

/** Loads a language and switches to it; the choice is kept if it was the user's. */
export async function setLang(to: Lang, keep = true): Promise<void> {
  if (!catalogues[to]) {
    const parts = await Promise.all(Object.values(german).map((load) => load()));
    catalogues[to] = Object.assign({}, ...parts) as Catalogue;
  }
  if (keep) localStorage.setItem(langKey, to);
  lang.value = to;
  document.documentElement.lang = to;
}

export async function initLang(): Promise<void> {
  await setLang(preferred(), false);
  // What is chosen in one window holds in all.
  addEventListener("storage", (e) => {
    if (e.key === langKey) void setLang(preferred(), false);
  });
}

/**
 * The text of a key. {name} is replaced by the argument of that name; a key with forms (.one, .other) is chosen by the
 * argument n.
 */
export function t(key: string, args: Record<string, string | number> = {}): string {
  let text = words.value[key];
  if (text === undefined && typeof args.n === "number") {
    text = words.value[`${key}.${plural.value.select(args.n)}`] ?? words.value[`${key}.other`];
  }
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = args[name];
    return value === undefined ? whole : typeof value === "number" ? integer.value.format(value) : value;
  });
}

/** A text of others, whose direction is its own, to stand within one of ours. */
export const isolated = (text: string): string => `\u2068${text}\u2069`;

/** Whether the catalogue has a key. */
export const has = (key: string): boolean => key in words.value;

export const number = (n: number, digits = 0): string => new Intl.NumberFormat(lang.value, { maximumFractionDigits: digits }).format(n);

export const percent = (share: number, digits = 0): string =>
  new Intl.NumberFormat(lang.value, { style: "percent", maximumFractionDigits: digits }).format(share);

const units = ["B", "kB", "MB", "GB", "TB"];

/** Bytes with SI units, as disks and providers count them. */
export function bytes(n: number): string {
  let i = 0;
  while (Math.abs(n) >= 999.5 && i < units.length - 1) {
    n /= 1000;
    i++;
  }
  return `${number(n, i > 0 && n < 99.5 ? 1 : 0)}\u00a0${units[i]}`;
}

/** A length of time in its two largest units. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  const parts: [number, string][] = [
    [Math.floor(s / 86400), "unit.days"],
    [Math.floor(s / 3600) % 24, "unit.hours"],
    [Math.floor(s / 60) % 60, "unit.minutes"],
    [s % 60, "unit.seconds"],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  if (first < 0) return t("unit.seconds", { n: 0 });
  return parts
    .slice(first, first + 2)
    .filter(([n]) => n > 0)
    .map(([n, key]) => t(key, { n }))
    .join(" ");
}

/** A length of time in its largest unit, as short as it can be said. */
export function span(seconds: number): string {
  const [value, unit] = seconds >= 3600 ? [seconds / 3600, "hour"] : seconds >= 60 ? [seconds / 60, "minute"] : [seconds, "second"];
  const digits = unit === "hour" && value < 100 ? 1 : 0;
  return new Intl.NumberFormat(lang.value, { style: "unit", unit: unit as string, unitDisplay: "short", maximumFractionDigits: digits }).format(value as number);
}

export const clockTime = (at: string | number | Date, withSeconds = false): string =>
  new Intl.DateTimeFormat(lang.value, {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(withSeconds ? { second: "2-digit" as const } : {}),
  }).format(new Date(at));

export const date = (at: string | number | Date, year = true): string =>
  new Intl.DateTimeFormat(lang.value, { day: "numeric", month: "short", ...(year ? { year: "numeric" as const } : {}) }).format(new Date(at));

/** The date of a day that starts at the midnight of UTC of it, wherever it was counted. */
export const day = (start: string): string =>
  new Intl.DateTimeFormat(lang.value, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(new Date(start));

export const dateTime = (at: string | number | Date): string => `${date(at)}, ${clockTime(at)}`;
