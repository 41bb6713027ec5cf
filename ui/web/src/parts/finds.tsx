import { get } from "../api";
import { has, lang, t } from "../i18n";
import { languageName, nameOf, primary } from "../pages/mine/found";
import { href } from "../router";
import type { Finds } from "../types";
import { Card } from "./card";
import { LiveLink } from "./livelink";
import { usePolled } from "./poll";

const everyMs = 5 * 60_000;
const most = 5;

/** A few pages of today that are worth reading; nothing where there are none. */
export function TodaysFinds() {
  const languages = primary([lang.value, ...navigator.languages]).join(",");
  const pages = usePolled((signal) => get<Finds>("/api/archive/finds", { languages }, signal), everyMs, [languages])?.pages ?? [];
  if (pages.length === 0) return null;
  return (
    <Card title={t("finds.title")} note={t("finds.private")}>
      <ol class="finds">
        {pages.slice(0, most).map((f) => (
          <li key={f.id}>
            <a href={href("mine", { id: f.id })} title={f.url} lang={f.language || undefined} dir="auto">
              {nameOf(f)}
            </a>
            <p class="fine">
              <span>{f.domain}</span>
              {f.language !== lang.value && languageName(f.language, lang.value) && <span>{languageName(f.language, lang.value)}</span>}
              {why(f.reason, f.links) && <span>{why(f.reason, f.links)}</span>}
              <LiveLink url={f.url} />
            </p>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Why a page is worth reading; nothing for a reason that a later version has. */
function why(reason: string, links: number): string {
  if (reason === "linked") return t("search.links", { n: links });
  return has(`finds.${reason}`) ? t(`finds.${reason}`) : "";
}
