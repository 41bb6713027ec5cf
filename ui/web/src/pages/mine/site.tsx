import "../../style/search.css";
import { useEffect, useState } from "preact/hooks";
import { CallError, get } from "../../api";
import { bytes, date, lang, number, t } from "../../i18n";
import { Card, Figure } from "../../parts/card";
import { Never } from "../../parts/never";
import { trouble } from "../../parts/toast";
import { href } from "../../router";
import type { SiteSummary } from "../../types";
import { languageName } from "./found";
import { LinkList } from "./links";
import { Name } from "./name";
import { lastSearch } from "./search";

/** What the archive has of a site. */
export function Site({ domain }: { domain: string }) {
  const [site, setSite] = useState<SiteSummary | null>(null);
  const [error, setError] = useState("");

  useEffect(() => {
    const stop = new AbortController();
    scrollTo(0, 0);
    setSite(null);
    setError("");
    get<SiteSummary>("/api/archive/site", { domain, lang: lang.value }, stop.signal).then(setSite, (cause: unknown) => {
      if (!stop.signal.aborted) setError(cause instanceof CallError && cause.status === 404 ? t("site.none") : trouble(cause));
    });
    return () => stop.abort();
  }, [domain]);

  return (
    <>
      <p class="back">
        <a href={lastSearch()}>{t("search.back")}</a>
      </p>
      <h1 class="long">{site?.domain ?? domain}</h1>
      {error && <p role="alert">{error}</p>}
      {!site && !error && <p class="loading">{t("loading")}</p>}
      {site && <Known s={site} />}
    </>
  );
}

function Known({ s }: { s: SiteSummary }) {
  return (
    <>
      {(s.title || s.description) && (
        <p class="lead site-lead" dir="auto">
          {s.title && <strong><bdi>{s.title}</bdi></strong>}
          {s.description && <span>{s.description}</span>}
        </p>
      )}
      <p class="site-acts">
        <a class="button" href={href("mine", { q: `site:${s.domain}` })}>
          {t("site.search")}
        </a>
        <a class="button" href={href("mine", { links: s.domain })}>
          {t("site.links")}
        </a>
        <Never domain={s.domain} />
      </p>
      <div class="grid">
        <Card title={t("site.archived")} wide>
          <dl class="figures">
            <Figure value={number(s.pages)} text={t("site.pages", { n: s.pages })} />
            <Figure value={number(s.fresh)} text={t("site.fresh")} />
            <Figure value={bytes(s.bytes)} text={t("site.size")} />
            <Figure value={number(s.linkingSites)} text={t("site.linking", { n: s.linkingSites })} />
          </dl>
          <p class="fine site-facts">
            {t("site.visits", { first: date(s.first), last: date(s.last) })} {languages(s)}
          </p>
          {s.distance && <p class="fine site-facts">{s.distance}</p>}
        </Card>
        {s.top.length > 0 && (
          <Card title={t("site.top")}>
            <ol class="found">
              {s.top.map((f) => (
                <li key={f.id}>
                  <Name id={f.id} url={f.url} title={f.title} language={f.language} />
                </li>
              ))}
            </ol>
          </Card>
        )}
        <Card title={t("site.toplinks")}>{s.topLinks.length === 0 ? <p class="empty">{t("links.none")}</p> : <LinkList links={s.topLinks} sites />}</Card>
      </div>
    </>
  );
}

function languages(s: SiteSummary): string {
  const names = s.languages.map((l) => `${languageName(l.language, lang.value) || t("site.language.unknown")} (${number(l.pages)})`);
  return names.length > 0 ? t("site.languages", { names: new Intl.ListFormat(lang.value, { type: "unit" }).format(names) }) : "";
}
