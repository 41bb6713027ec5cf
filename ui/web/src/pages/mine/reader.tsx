import { useEffect, useState } from "preact/hooks";
import { CallError, get } from "../../api";
import { bytes, dateTime, t } from "../../i18n";
import { Card } from "../../parts/card";
import { Never } from "../../parts/never";
import { trouble } from "../../parts/toast";
import { href } from "../../router";
import type { Capture, PageText } from "../../types";

/** Shows an archived page as plain text: nothing of it is run, and nothing is fetched. */
export function Reader({ id, url }: { id: string | null; url: string | null }) {
  const [page, setPage] = useState<PageText | null>(null);
  const [captures, setCaptures] = useState<Capture[]>([]);
  const [error, setError] = useState("");

  useEffect(() => {
    const stop = new AbortController();
    const load = async () => {
      setPage(null);
      setError("");
      try {
        let name = id;
        let address = url;
        if (!name) {
          const found = await get<{ captures: Capture[] }>("/api/archive", { url: address! }, stop.signal);
          setCaptures(found.captures);
          name = found.captures.find((c) => c.status === 200)?.id ?? found.captures[0]?.id ?? null;
        }
        if (!name) {
          setError(t("reader.none"));
          return;
        }
        const text = await get<PageText>("/api/archive/page", { id: name }, stop.signal);
        setPage(text);
        if (!address) setCaptures((await get<{ captures: Capture[] }>("/api/archive", { url: text.url }, stop.signal)).captures);
      } catch (cause) {
        if (!stop.signal.aborted) setError(cause instanceof CallError && cause.status === 404 ? t("reader.none") : trouble(cause));
      }
    };
    void load();
    return () => stop.abort();
  }, [id, url]);

  return (
    <>
      <p>
        <a href={href("mine")}>{t("reader.back")}</a>
      </p>
      {error && (
        <p class="fault" role="alert">
          {error}
        </p>
      )}
      {!page && !error && <p class="loading">{t("loading")}</p>}
      {page && (
        <div class="reading">
          <article lang={page.language || undefined} class="reader">
            <h1>{page.title || page.url}</h1>
            <p class="note" lang={document.documentElement.lang}>
              {t("reader.when", { at: dateTime(page.time), status: String(page.status) })} {page.url}
            </p>
            {page.paragraphs.map((p, i) => (
              <Paragraph key={i} kind={p.kind} text={p.text} />
            ))}
            {page.cut && <p class="note">{t("reader.cut")}</p>}
          </article>
          <aside>
            <Card title={t("reader.captures")}>
              <ul class="captures">
                {captures.map((c) => (
                  <li key={c.id}>
                    <a href={href("mine", { id: c.id })} aria-current={c.id === id ? "page" : undefined}>
                      {dateTime(c.time)}
                    </a>{" "}
                    <span class="note">
                      {c.status} {c.revisit ? t("reader.revisit") : bytes(c.bytes)}
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
            {page.links.length > 0 && (
              <Card title={t("reader.links")}>
                <ul class="links">
                  {page.links.slice(0, 100).map((link) => (
                    <li key={link}>{link}</li>
                  ))}
                </ul>
              </Card>
            )}
            <p>
              <Never domain={hostOf(page.url)} />
            </p>
          </aside>
        </div>
      )}
    </>
  );
}

function Paragraph({ kind, text }: { kind: string; text: string }) {
  switch (kind) {
    case "h1":
    case "h2":
      return <h2>{text}</h2>;
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return <h3>{text}</h3>;
    case "li":
      return <p class="item">{text}</p>;
    case "pre":
      return <pre>{text}</pre>;
  }
  return <p>{text}</p>;
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return url;
  }
}
