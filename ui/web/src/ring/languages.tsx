import { lang, t } from "../i18n";
import { languageName } from "../pages/mine/found";
import type { Ring } from "../types";
import { dark, hueOf, light, shared } from "./hues";
import { languagesOf } from "./stars";

/** So many languages are named, those of most sites. */
const most = 8;

/** The languages of the sites in the picture, with their colours. Those of one colour stand together. */
export function RingLanguages({ of }: { of: Ring["domains"] }) {
  const codes = languagesOf(of);
  if (codes.length === 0) return null;
  return (
    <ul class="ring-languages" aria-label={t("ring.languages")}>
      {shared(codes.slice(0, most)).map((group) => (
        <li key={group[0]} style={{ "--hue-light": light[hueOf(group[0]!)], "--hue-dark": dark[hueOf(group[0]!)] }}>
          <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
            <circle cx="5" cy="5" r="5" />
          </svg>
          {group.map((code) => languageName(code, lang.value) || code).join(", ")}
        </li>
      ))}
      {codes.length > most && <li>{t("mine.otherlanguages")}</li>}
    </ul>
  );
}
