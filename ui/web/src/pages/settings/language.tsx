import { useId } from "preact/hooks";
import { lang, setLang, t, type Lang } from "../../i18n";

const languages: [Lang, string][] = [
  ["en", "English"],
  ["de", "Deutsch"],
];

/** The choice of the page's language, each in its own. */
export function Language() {
  const name = useId();
  return (
    <fieldset class="languages">
      <legend class="unseen">{t("set.language")}</legend>
      {languages.map(([code, text]) => (
        <label key={code} lang={code} class="tick">
          <input type="radio" name={name} checked={lang.value === code} onChange={() => void setLang(code)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
