import { day, lang, number, t } from "../i18n";
import { languageName } from "../pages/mine/found";
import type { Milestone } from "../types";

/** A milestone in words; its number as it is, for kinds of later versions. */
export function milestone(m: Milestone): string {
  switch (m.kind) {
    case "pages":
    case "sites":
    case "days":
    case "years":
      return t(`milestone.${m.kind}`, { n: m.count });
    case "language":
      return t("milestone.language", { language: languageName(m.language, lang.value) || m.language });
  }
  return number(m.count);
}

/** Those to show: numbers first, and of first pages in languages a few. */
export function notable(list: Milestone[]): Milestone[] {
  const numbers = list.filter((m) => m.kind !== "language");
  const tongues = list.filter((m) => m.kind === "language");
  return [...numbers.slice(0, 5), ...tongues.slice(0, 3)];
}

/** The newest milestones, with their days. */
export function Reached({ list }: { list: Milestone[] }) {
  if (list.length === 0) return null;
  return (
    <ol class="reached" aria-label={t("milestone.title")}>
      {notable(list).map((m) => (
        <li key={m.kind + m.count + m.language}>
          <strong>{milestone(m)}</strong> {m.day && <time dateTime={m.day}>{day(m.day)}</time>}
        </li>
      ))}
    </ol>
  );
}
