import "../../style/search.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../api";
import { date, t } from "../../i18n";
import { Card } from "../../parts/card";
import { trouble } from "../../parts/toast";
import { href } from "../../router";
import type { InLink, LinksPage } from "../../types";
import { bySite, hostOf } from "./found";
import { Name } from "./name";
import { lastSearch } from "./search";

/** Who links to an address, or to any page of a domain. */
export function Links({ target }: { target: string }) {
  const [answer, setAnswer] = useState<LinksPage | null>(null);
  const [error, setError] = useState("");
  const turn = useRef<AbortController>();

  const ask = async (from = "") => {
    turn.current?.abort();
    const mine = (turn.current = new AbortController());
    try {
      const got = await get<LinksPage>("/api/archive/links", { target, from, limit: 25 }, mine.signal);
      setAnswer((old) => (from && old ? { ...got, list: old.list.concat(got.list) } : got));
      setError("");
    } catch (cause) {
      if (!mine.signal.aborted) setError(trouble(cause));
    }
  };
  useEffect(() => {
    scrollTo(0, 0);
    setAnswer(null);
    setError("");
    if (target) void ask();
    return () => turn.current?.abort();
  }, [target]);

  return (
    <>
      <p class="back">
        <a href={lastSearch()}>{t("search.back")}</a>
      </p>
      <h1 class="long">{target ? t("links.title", { target }) : t("links.empty")}</h1>
      <Look target={target} />
      {error && (
        <p class="fault" role="alert">
          {error}
        </p>
      )}
      {target && !answer && !error && <p class="loading">{t("loading")}</p>}
      <div aria-live="polite">{answer && <Sum answer={answer} />}</div>
      {answer && answer.list.length > 0 && (
        <ul class="linking">
          {bySite(answer.list).map((s) => (
            <li key={s.site}>
              <Card
                title={s.site}
                note={<a href={href("mine", { site: s.site })}>{t("links.site")}</a>}
              >
                <LinkList links={s.links} target={answer.domain ? undefined : answer.target} />
              </Card>
            </li>
          ))}
        </ul>
      )}
      {answer?.next && (
        <p class="search-more">
          <button type="button" onClick={() => void ask(answer.next)}>
            {t("links.next")}
          </button>
        </p>
      )}
    </>
  );
}

/** Asks for another address or domain. */
function Look({ target }: { target: string }) {
  const [text, setText] = useState(target);
  useEffect(() => setText(target), [target]);
  return (
    <form
      class="look"
      onSubmit={(e) => {
        e.preventDefault();
        if (text.trim()) location.hash = href("mine", { links: text.trim() });
      }}
    >
      <label for="links">{t("links.label")}</label>
      <input id="links" type="text" inputMode="url" autoComplete="off" spellcheck={false} value={text} maxLength={2000} onInput={(e) => setText(e.currentTarget.value)} />
      <button type="submit">{t("links.look")}</button>
    </form>
  );
}

function Sum({ answer: a }: { answer: LinksPage }) {
  if (a.list.length === 0) return <p class="empty">{t("links.none")}</p>;
  const sites = t("links.sites", { n: a.sites });
  return (
    <p class="note sum">
      {t("links.sum", { n: a.links, sites })} <a href={href("mine", { site: hostOf(a.target) })}>{t("links.of", { site: hostOf(a.target) })}</a>
    </p>
  );
}

/** Links from pages of other sites. Where they lead is said unless all lead to one target. */
export function LinkList({ links, target, sites = false }: { links: InLink[]; target?: string | undefined; sites?: boolean }) {
  return (
    <ul class="inlinks">
      {links.map((l) => (
        <li key={l.id + l.to + l.text}>
          <Name id={l.id} url={l.from} title={l.title} />
          {l.text && (
            <p class="anchor" dir="auto">
              {t("links.text", { text: l.text })}
            </p>
          )}
          {target === undefined && (
            <p class="where" title={l.to}>
              {t("links.to", { to: l.to })}
            </p>
          )}
          <p class="about">
            {sites && <a href={href("mine", { site: l.site })}>{l.site}</a>}
            <span>{seen(l)}</span>
            {l.pages > 1 && <span>{t("links.pages", { n: l.pages })}</span>}
          </p>
        </li>
      ))}
    </ul>
  );
}

function seen(l: InLink): string {
  const [first, last] = [date(l.first), date(l.last)];
  return first === last ? t("links.seen.once", { day: last }) : t("links.seen", { first, last });
}
