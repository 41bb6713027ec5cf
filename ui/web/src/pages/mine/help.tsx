import { t } from "../../i18n";
import { href } from "../../router";

/** What a query may say, with an example of each; those of words are in the catalogue. */
const ways = { phrase: "", without: "", site: "site:example.org", lang: "lang:de", after: "after:2025-06", before: "before:2026" };

/** A short help on queries, for those who open it. */
export function SearchHelp() {
  return (
    <details class="search-help">
      <summary>{t("search.help")}</summary>
      <dl>
        {Object.entries(ways).map(([way, example]) => (
          <div key={way}>
            <dt>
              <code>{example || t(`search.help.${way}.example`)}</code>
            </dt>
            <dd>{t(`search.help.${way}`)}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href={href("mine", { links: "" })}>{t("search.help.links")}</a>
      </p>
    </details>
  );
}
