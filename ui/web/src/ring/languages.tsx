import { lang, t } from "../i18n";
import { languageName } from "../pages/mine/found";
import type { Ring } from "../types";
import { dark, hueOf, light } from "./hues";
import { languagesOf } from "./stars";

/** So many languages are named, those of most sites. */
const most = 8;

/** The languages of the sites in the picture, each with its colour. */
export function RingLanguages({ of }: { of: Ring["domains"] }) {
  const codes = languagesOf(of);
  if (codes.length === 0) return null;
  return (
    <ul class="ring-languages" aria-label={t("ring.languages")}>
      {codes.slice(0, most).map((code) => (
        <li key={code} style={{ "--hue-light": light[hueOf(code)], "--hue-dark": dark[hueOf(code)] }}>
          <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
            <circle cx="5" cy="5" r="5" />
          </svg>
          {languageName(code, lang.value) || code}
        </li>
      ))}
      {codes.length > most && <li>{t("mine.otherlanguages")}</li>}
    </ul>
  );
}
