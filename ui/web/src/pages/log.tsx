import "../style/log.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { get, getText } from "../api";
import { bytes, clockTime, date, duration, has, number, t } from "../i18n";
import { Card } from "../parts/card";
import { LiveLink } from "../parts/livelink";
import { peerName } from "../parts/names";
import { attempt, say, trouble } from "../parts/toast";
import { Why } from "../parts/why";
import { href } from "../router";
import type { Request } from "../types";

interface Page {
  requests: Request[];
  next: string;
  kept_days: number;
}

const kinds = ["", "fetched", "unchanged", "redirected", "gone", "forbidden", "robots", "failed", "refused"];

/** Every request this node made, and why it was allowed. */
export function Log() {
  const [domain, setDomain] = useState("");
  const [kind, setKind] = useState("");
  const [text, setText] = useState("");
  const [page, setPage] = useState<Page | null>(null);
  const [error, setError] = useState("");
  const turn = useRef<AbortController>();

  const load = async (before = "") => {
    turn.current?.abort();
    const mine = (turn.current = new AbortController());
    setError("");
    try {
      const got = await get<Page>("/api/requests", { domain: domain.trim(), kind, text: text.trim(), before, limit: 100 }, mine.signal);
      setPage((old) => (before && old ? { ...got, requests: old.requests.concat(got.requests).slice(-2000) } : got));
    } catch (cause) {
      if (!mine.signal.aborted) setError(trouble(cause));
    }
  };
  const typed = useRef(false);
  useEffect(() => {
    const timer = setTimeout(() => void load(), typed.current ? 250 : 0);
    typed.current = true;
    return () => clearTimeout(timer);
  }, [domain, kind, text]);

  const copy = () =>
    attempt(async () => {
      await navigator.clipboard.writeText(await getText("/api/requests/report?days=7"));
      say(t("log.copied"));
    });

  return (
    <>
      <h1>{t("nav.log")}</h1>
      <Why />
      <Card title={t("log.title")} note={page && page.kept_days > 0 ? t("log.kept", { n: page.kept_days }) : undefined} wide>
        <form class="filters" role="search" onSubmit={(e) => (e.preventDefault(), void load())}>
          <label>
            {t("log.site")}
            <input type="text" value={domain} maxLength={253} autocapitalize="none" spellcheck={false} onInput={(e) => setDomain(e.currentTarget.value)} />
          </label>
          <label>
            {t("log.kind")}
            <select value={kind} onChange={(e) => setKind(e.currentTarget.value)}>
              {kinds.map((k) => (
                <option key={k} value={k}>
                  {k === "" ? t("log.all") : codeText(k)}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t("log.text")}
            <input type="search" value={text} maxLength={200} onInput={(e) => setText(e.currentTarget.value)} />
          </label>
          <span class="filter-acts">
            <button type="submit">{t("log.again")}</button>
            <button type="button" onClick={() => void copy()}>
              {t("log.report")}
            </button>
          </span>
        </form>
        {error && (
          <p class="fault" role="alert">
            {error}
          </p>
        )}
        {!page && !error && <p class="loading">{t("loading")}</p>}
        {page?.kept_days === 0 && (
          <p class="empty">
            {t("log.off")} <a href={href("settings", { key: "log.requests_days" })}>{t("nav.settings")}</a>
          </p>
        )}
        {page && page.requests.length === 0 && page.kept_days !== 0 && <p class="empty">{t("log.none")}</p>}
        <ol class="requests">{page?.requests.map((r, i) => <Entry key={`${r.time} ${r.url} ${i}`} request={r} />)}</ol>
        {page?.next && (
          <button type="button" onClick={() => void load(page.next)}>
            {t("log.more")}
          </button>
        )}
      </Card>
    </>
  );
}

const codeText = (code: string): string => (has(`code.${code}`) ? t(`code.${code}`) : code);

function Entry({ request: r }: { request: Request }) {
  return (
    <li>
      <details>
        <summary>
          <time dateTime={r.time}>
            {date(r.time, false)} {clockTime(r.time, true)}
          </time>
          <span class={`code ${r.code}`}>{r.status > 0 ? r.status : "–"}</span>
          <span class="url">{r.url}</span>
          <span class="size">{r.bytes > 0 ? bytes(r.bytes) : ""}</span>
        </summary>
        <dl>
          <dt>{t("log.what")}</dt>
          <dd>{codeText(r.code)}</dd>
          {r.title && <dt>{t("log.pagetitle")}</dt>}
          {r.title && <dd><bdi>{r.title}</bdi></dd>}
          <dt>{t("log.allowed")}</dt>
          <dd>
            {has(`allowed.${r.allowed}`) ? t(`allowed.${r.allowed}`) : r.allowed} {r.rule && <code>{r.rule}</code>}
          </dd>
          <dt>{t("log.gap")}</dt>
          <dd>
            {r.waited_s < 0 ? t("log.gap.first") : t("log.gap.text", { waited: seconds(r.waited_s), gap: seconds(r.gap_s) })}
          </dd>
          {r.took_ms > 0 && <dt>{t("log.took")}</dt>}
          {r.took_ms > 0 && <dd>{number(r.took_ms)} ms</dd>}
          {r.addr && <dt>{t("log.addr")}</dt>}
          {r.addr && <dd>{r.addr}</dd>}
          <dt>{t("log.owner")}</dt>
          <dd>{r.owner === "" ? t("now.ours") : t("now.theirs", { peer: peerName(r.owner) })}</dd>
        </dl>
        {(r.code === "fetched" || r.code === "unchanged") && <p class="entry-acts"><a href={href("mine", { url: r.url })}>{t("log.read")}</a> <LiveLink url={r.url} /></p>}
      </details>
    </li>
  );
}

const seconds = (s: number): string => (s < 60 ? `${number(s, 1)} s` : duration(s));
