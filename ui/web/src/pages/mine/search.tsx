import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../api";
import { date, number, t } from "../../i18n";
import { Card } from "../../parts/card";
import { trouble } from "../../parts/toast";
import { href, route } from "../../router";
import type { Found } from "../../types";

interface Answer {
  results: Found[];
  next: string;
  searched: number;
}

/** Finds pages of the archive by words of their titles and addresses. */
export function Search() {
  const [words, setWords] = useState(route.value.params.get("q") ?? "");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [error, setError] = useState("");
  const turn = useRef<AbortController>();

  const ask = async (q: string, before = "") => {
    turn.current?.abort();
    const mine = (turn.current = new AbortController());
    setError("");
    try {
      const got = await get<Answer>("/api/archive/search", { q, before, limit: 20 }, mine.signal);
      setAnswer((old) => (before && old ? { ...got, results: old.results.concat(got.results), searched: old.searched + got.searched } : got));
    } catch (cause) {
      if (!mine.signal.aborted) setError(trouble(cause));
    }
  };

  useEffect(() => {
    const q = words.trim();
    // Whoever comes back from a page finds the search as it was left.
    history.replaceState(null, "", href("mine", q ? { q } : {}));
    if (q === "") {
      turn.current?.abort();
      setAnswer(null);
      setError("");
      return;
    }
    const timer = setTimeout(() => void ask(q), 250);
    return () => clearTimeout(timer);
  }, [words]);

  return (
    <Card title={t("search.title")} wide>
      <form
        role="search"
        class="search"
        onSubmit={(e) => {
          e.preventDefault();
          if (words.trim()) void ask(words.trim());
        }}
      >
        <label class="unseen" for="search">
          {t("search.label")}
        </label>
        <input id="search" type="search" placeholder={t("search.hint")} value={words} maxLength={200} onInput={(e) => setWords(e.currentTarget.value)} />
      </form>
      {error && (
        <p class="fault" role="alert">
          {error}
        </p>
      )}
      <div aria-live="polite">{answer && <p class="note">{t("search.found", { n: answer.results.length, searched: number(answer.searched) })}</p>}</div>
      <ol class="found">
        {answer?.results.map((f) => (
          <li key={f.id}>
            <a href={href("mine", { id: f.id })}>{f.title || f.url}</a>
            <span class="where">{f.url}</span>
            <time dateTime={f.time}>{date(f.time)}</time>
          </li>
        ))}
      </ol>
      {answer?.next && (
        <button type="button" onClick={() => void ask(words.trim(), answer.next)}>
          {t("search.more")}
        </button>
      )}
    </Card>
  );
}
