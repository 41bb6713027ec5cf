import { date, lang, t } from "../../i18n";
import { href } from "../../router";
import type { Found, SnippetPiece } from "../../types";
import { languageName, ofSite } from "./found";
import { Name } from "./name";

/** A page that a query found. */
export function Result({ f, query }: { f: Found; query: string }) {
  return (
    <li>
      <Name id={f.id} url={f.url} title={f.title} language={f.language} />
      {f.snippet.length > 0 && <Snippet pieces={f.snippet} language={f.language} />}
      <p class="about">
        <a href={href("mine", { site: f.domain })}>{f.domain}</a>
        <time dateTime={f.time}>{date(f.time)}</time>
        {languageName(f.language, lang.value) && <span>{languageName(f.language, lang.value)}</span>}
        {f.links > 0 && <a href={href("mine", { links: f.domain })}>{t("search.links", { n: f.links })}</a>}
        {f.copies > 0 && <span>{t("search.copies", { n: f.copies })}</span>}
        {f.moreOfSite > 0 && <a href={href("mine", { q: ofSite(query, f.domain) })}>{t("search.ofsite", { n: f.moreOfSite, site: f.domain })}</a>}
      </p>
    </li>
  );
}

/** The text around the words, which are marked. */
function Snippet({ pieces, language }: { pieces: SnippetPiece[]; language: string }) {
  return (
    <p class="snippet" lang={language || undefined} dir="auto">
      {pieces.map((p, i) => (p.match ? <mark key={i}>{p.text}</mark> : p.text))}
    </p>
  );
}
