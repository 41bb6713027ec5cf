import "../../style/search.css";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get } from "../../api";
import { t } from "../../i18n";
import { Card } from "../../parts/card";
import { trouble } from "../../parts/toast";
import { href, parse } from "../../router";
import type { SearchPage } from "../../types";
import { joined } from "./found";
import { SearchHelp } from "./help";
import { Result } from "./result";

/** How long nothing is typed until the node is asked. */
const pauseMs = 200;

/** The last search, with how far down it was read: whoever comes back from a page finds it as it was left. */
let kept: { q: string; answer: SearchPage; top: number } | undefined;

/** The address of the last search. */
export const lastSearch = (): string => href("mine", kept ? { q: kept.q } : {});

/** Finds pages of the archive, the best first, while a query is typed. */
export function Search({ words, setWords }: { words: string; setWords: (words: string) => void }) {
  const q = words.trim();
  const [answer, setAnswer] = useState<SearchPage | null>(kept?.q === q ? kept.answer : null);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const turn = useRef<AbortController>();

  const ask = async (from = "") => {
    turn.current?.abort();
    const mine = (turn.current = new AbortController());
    setBusy(true);
    try {
      const got = await get<SearchPage>("/api/archive/search", { q, from, limit: 20 }, mine.signal);
      const all = from && answer ? joined(answer, got) : got;
      kept = { q, answer: all, top: 0 };
      setAnswer(all);
      setError("");
    } catch (cause) {
      if (mine.signal.aborted) return;
      setError(trouble(cause));
    }
    setBusy(false);
  };

  useLayoutEffect(() => {
    if (kept?.q === q && kept.top > 0) scrollTo(0, kept.top);
  }, []);
  useEffect(() => {
    if (parse(location.hash).params.get("q") !== (q || null)) history.replaceState(null, "", href("mine", q ? { q } : {}));
    if (q === "") {
      kept = undefined;
      setAnswer(null);
      setError("");
      setBusy(false);
      return;
    }
    if (kept?.q === q) {
      setAnswer(kept.answer);
      setError("");
      setBusy(false);
      return;
    }
    setBusy(true); // what is shown answers an earlier query
    const timer = setTimeout(() => void ask(), pauseMs);
    return () => {
      clearTimeout(timer);
      turn.current?.abort();
    };
  }, [q]);

  return (
    <Card title={t("search.title")} note={t("search.private")} wide>
      <form
        role="search"
        class="search"
        onSubmit={(e) => {
          e.preventDefault();
          if (q) void ask();
        }}
      >
        <label class="unseen" for="search">
          {t("search.label")}
        </label>
        <input id="search" type="search" placeholder={t("search.hint")} value={words} maxLength={200} autoComplete="off" onInput={(e) => setWords(e.currentTarget.value)} />
      </form>
      <SearchHelp />
      {error && (
        <p class="fault" role="alert">
          {error}
        </p>
      )}
      <div aria-live="polite" class="tally">
        {answer && !error && <Tally answer={answer} />}
      </div>
      <ol class={busy ? "found busy" : "found"} aria-busy={busy} onClickCapture={() => kept && (kept.top = scrollY)}>
        {answer?.results.map((f) => (
          <Result key={f.id} f={f} query={q} />
        ))}
      </ol>
      {answer?.next && (
        <p class="search-more">
          <button type="button" disabled={busy} onClick={() => void ask(answer.next)}>
            {t(answer.off ? "search.more" : "search.next")}
          </button>
        </p>
      )}
    </Card>
  );
}

/** How much was found, and where there was nothing to look. */
function Tally({ answer: a }: { answer: SearchPage }) {
  const none = a.results.length === 0;
  return (
    <>
      {a.off ? (
        <p class="note">{t(none ? "search.off.none" : "search.off")}</p>
      ) : none ? (
        <p class="note">{t("search.none", { n: a.pages })}</p>
      ) : a.some ? (
        <p class="note">{t("search.some")}</p>
      ) : (
        <p class="note">{t(a.more ? "search.over" : "search.total", { n: a.total })}</p>
      )}
      {a.waiting > 0 && <p class="note">{t(a.full ? "search.full" : "search.waiting", { n: a.waiting })}</p>}
    </>
  );
}
