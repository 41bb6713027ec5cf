// The names of days, and with which of them a week begins. 0 is Monday.

const names = new Map<string, string>();

export function dayName(lang: string, day: number, form: "long" | "short"): string {
  const key = `${lang} ${day} ${form}`;
  let name = names.get(key);
  if (name === undefined) {
    const monday = Date.UTC(2024, 0, 1);
    name = new Intl.DateTimeFormat(lang, { weekday: form, timeZone: "UTC" }).format(monday + day * 86_400_000);
    names.set(key, name);
  }
  return name;
}

interface WeekInfo {
  firstDay: number;
}

/** The days as a calendar has them, by what the browser knows of the user's country. */
export function weekOrder(lang: string, languages: readonly string[] = navigator.languages): number[] {
  const locale = languages.find((l) => l === lang || l.startsWith(`${lang}-`)) ?? lang;
  const first = firstDay(locale);
  return Array.from({ length: 7 }, (_, i) => (first + i) % 7);
}

function firstDay(locale: string): number {
  try {
    const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => WeekInfo; weekInfo?: WeekInfo };
    const info = known.getWeekInfo?.() ?? known.weekInfo;
    if (info) return info.firstDay - 1; // 1 is Monday there
  } catch {
    // A name that is none: the week of ISO 8601.
  }
  return 0;
}
