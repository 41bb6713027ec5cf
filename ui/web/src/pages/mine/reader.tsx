import "../../style/reader.css";
import { useEffect, useState } from "preact/hooks";
import { CallError, get } from "../../api";
import { bytes, dateTime, t } from "../../i18n";
import { Card } from "../../parts/card";
import { LiveLink } from "../../parts/livelink";
import { Never } from "../../parts/never";
import { trouble } from "../../parts/toast";
import { href } from "../../router";
import type { ArchiveView, Capture, PageText } from "../../types";
import { Frame } from "./frame";
import { Missing } from "./missing";
import { Plain } from "./plain";
import { lastSearch } from "./search";

type Tab = "page" | "text";

const list = (url: string, signal: AbortSignal) => get<{ captures: Capture[] }>("/api/archive", { url }, signal).then((page) => page.captures);

/** Shows an archived page: as it looked, in a frame in which nothing of it runs, or as plain text. */
export function Reader({ id, url }: { id: string | null; url: string | null }) {
  const [opened, setOpened] = useState<string | null>(null); // the capture that the frame begins with
  const [current, setCurrent] = useState<string | null>(null); // the one that it shows now
  const [page, setPage] = useState<PageText | null>(null);
  const [captures, setCaptures] = useState<Capture[]>([]);
  const [shown, setShown] = useState<ArchiveView | null>(null);
  const [tab, setTab] = useState<Tab>("page");
  const [round, setRound] = useState(0); // how often the frame was begun again
  const [error, setError] = useState("");
  const fail = (cause: unknown) => setError(cause instanceof CallError && cause.status === 404 ? t("reader.none") : trouble(cause));

  useEffect(() => {
    const stop = new AbortController();
    setPage(null);
    setShown(null);
    setOpened(null);
    setCurrent(id);
    setError("");
    if (id) setOpened(id);
    else
      list(url!, stop.signal).then(
        (found) => {
          const name = found.find((c) => c.status === 200)?.id ?? found[0]?.id;
          if (!name) return setError(t("reader.none"));
          setOpened(name);
          setCurrent(name);
        },
        (cause: unknown) => stop.signal.aborted || fail(cause),
      );
    return () => stop.abort();
  }, [id, url]);

  // A link in the frame leads to another capture: its text and visits come after it.
  useEffect(() => {
    if (!current) return;
    const stop = new AbortController();
    const load = async () => {
      const text = await get<PageText>("/api/archive/page", { id: current }, stop.signal);
      setPage(text);
      setCaptures(await list(text.url, stop.signal));
    };
    load().catch((cause: unknown) => stop.signal.aborted || fail(cause));
    return () => stop.abort();
  }, [current]);

  const choose = (to: Tab) => {
    if (to === "page" && tab !== to) setOpened(current); // where a link has led, not where it began
    setTab(to);
  };

  const again = () => {
    setShown(null);
    setOpened(current);
    setRound(round + 1);
  };

  const onShown = (now: ArchiveView) => {
    setShown(now);
    if (now.id) setCurrent(now.id);
  };

  const framed = page?.html || (shown !== null && opened !== current); // also what a link led to
  const elsewhere = shown !== null && shown.id === ""; // a link led out of the archive
  const looks = framed || elsewhere ? tab : "text";
  const address = elsewhere ? shown.url : (page?.url ?? "");
  const title = elsewhere ? "" : (page?.title ?? "");
  return (
    <>
      <p>
        <a href={lastSearch()}>{t("reader.back")}</a>
      </p>
      {error && (
        <p class="fault" role="alert">
          {error}
        </p>
      )}
      {!page && !error && <p class="loading">{t("loading")}</p>}
      {page && (
        <>
          <header class="reader-head">
            <h1><bdi>{title || address}</bdi></h1>
            <p class="note">
              {elsewhere ? t("view.elsewhere") : t(title ? "reader.when" : "view.when", { at: dateTime(page.time), status: String(page.status) })}{" "}
              {title && <span class="address">{address}</span>}
            </p>
            <div class="reader-bar">
              {elsewhere ? (
                <button type="button" onClick={again}>
                  {t("view.return")}
                </button>
              ) : (
                framed && <Tabs tab={tab} choose={choose} />
              )}
              <LiveLink kind="button" url={address} />
            </div>
          </header>
          <div class={looks === "page" ? "reading wide" : "reading"}>
            {looks === "page" && opened ? (
              <div class="looks">
                {shown && <Missing shown={shown} />}
                {shown?.cut && <p class="note">{t("reader.cut")}</p>}
                <Frame key={round} id={opened} title={title || address} onShown={onShown} />
              </div>
            ) : (
              <Plain page={page} />
            )}
            <aside>
              <Card title={t("reader.captures")}>
                <ul class="captures">
                  {captures.map((c) => (
                    <li key={c.id}>
                      <a href={href("mine", { id: c.id })} aria-current={c.id === current ? "page" : undefined}>
                        {dateTime(c.time)}
                      </a>{" "}
                      <span class="note">
                        {c.status} {c.revisit ? t("reader.revisit") : bytes(c.bytes)}
                      </span>
                    </li>
                  ))}
                </ul>
              </Card>
              {looks === "text" && page.links.length > 0 && (
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
        </>
      )}
    </>
  );
}

function Tabs({ tab, choose }: { tab: Tab; choose: (tab: Tab) => void }) {
  return (
    <div class="reader-tabs" role="group" aria-label={t("view.how")}>
      <button type="button" aria-pressed={tab === "page"} onClick={() => choose("page")}>
        {t("view.page")}
      </button>
      <button type="button" aria-pressed={tab === "text"} onClick={() => choose("text")}>
        {t("view.text")}
      </button>
    </div>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return url;
  }
}
