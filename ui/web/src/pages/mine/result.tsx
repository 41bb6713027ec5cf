import type { ComponentChildren } from "preact";
import { date, lang, t } from "../../i18n";
import { href } from "../../router";
import type { Found, SnippetPiece } from "../../types";
import { languageName, nameOf, ofSite } from "./found";

/** A page that was found. Without a query it is not the answer to one. */
export function Result({ f, query, note }: { f: Found; query?: string; note?: ComponentChildren }) {
  return (
    <li>
      <a class="name" href={href("mine", { id: f.id })} lang={f.language || undefined} dir="auto">
        {nameOf(f)}
      </a>
      <span class="where" title={f.url}>
        {f.url}
      </span>
      {f.snippet.length > 0 && <Snippet pieces={f.snippet} language={f.language} />}
      <p class="about">
        {note}
        <a href={href("mine", { site: f.domain })}>{f.domain}</a>
        <time dateTime={f.time}>{date(f.time)}</time>
        {languageName(f.language, lang.value) && <span>{languageName(f.language, lang.value)}</span>}
        {f.links > 0 && <a href={href("mine", { links: f.domain })}>{t("search.links", { n: f.links })}</a>}
        {f.copies > 0 && <span>{t("search.copies", { n: f.copies })}</span>}
        {query !== undefined && f.moreOfSite > 0 && <a href={href("mine", { q: ofSite(query, f.domain) })}>{t("search.ofsite", { n: f.moreOfSite, site: f.domain })}</a>}
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
