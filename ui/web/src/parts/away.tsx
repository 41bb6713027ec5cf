import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import { CallError, Unreachable, get, post } from "../api";
import { clockTime, date, isolated, lang, number, t } from "../i18n";
import { languageName, nameOf } from "../pages/mine/found";
import { href } from "../router";
import type { Away, Find } from "../types";
import { LiveLink } from "./livelink";
import { milestone, notable } from "./milestones";

const everyMs = 60_000;
/** How often what a user does here is told as a look, at most. */
const lookMs = 5 * 60_000;

/** What was fetched while nobody was there; undefined until the node has answered. */
export const away = signal<Away | null | undefined>(undefined);

async function ask(call: Promise<Away>): Promise<void> {
  try {
    away.value = await call;
  } catch (cause) {
    away.value ??= null;
    if (!(cause instanceof Unreachable) && !(cause instanceof CallError)) throw cause;
  }
}

/** Tells the node that somebody looks, now and whenever the page is used again, and keeps what it tells up to date. */
export function useAway(): void {
  useEffect(() => {
    let told = 0;
    const look = () => {
      if (document.visibilityState !== "visible" || Date.now() - told < lookMs) return;
      told = Date.now();
      void ask(post<Away>("/api/away"));
    };
    const again = () => void (document.visibilityState === "visible" && ask(get<Away>("/api/away")));
    look();
    const timer = setInterval(again, everyMs);
    const used = ["visibilitychange", "pointerdown", "keydown"];
    for (const kind of used) document.addEventListener(kind, look);
    return () => {
      clearInterval(timer);
      for (const kind of used) document.removeEventListener(kind, look);
    };
  }, [lang.value]);
}

/** What came of it while nobody was there, with pages to open; nothing where there is nothing to tell. */
export function WhileAway() {
  const a = away.value;
  if (!a?.since || !a.until) return null;
  return (
    <section class="card away" aria-labelledby="away-title">
      <header>
        <h2 id="away-title">{t("away.title")}</h2>
        <p class="note">{t("away.when", { since: moment(a.since), until: moment(a.until) })}</p>
      </header>
      <p class="much">{a.sentence}</p>
      <ul class="facts">
        {notable(a.milestones).map((m) => (
          <li key={m.kind + m.count + m.language} class="milestone">
            {milestone(m)}
          </li>
        ))}
        {a.first && (
          <li>
            <span class="fine">{t("away.first")}</span>{" "}
            <Page id={a.first.id} url={a.first.url} name={a.first.title || a.first.url} /> <span class="fine">{a.first.domain}</span>
          </li>
        )}
        {a.farthest && <li class="fine">{t("away.farthest", { site: isolated(a.farthest.domain), ms: number(a.farthest.ms) })}</li>}
      </ul>
      {a.shown.length > 0 && (
        <ol class="finds">
          {a.shown.map((f) => (
            <Shown key={f.id} find={f} />
          ))}
        </ol>
      )}
      <button type="button" class="done" onClick={() => void ask(post<Away>("/api/away", { seen: true }))}>
        {t("away.seen")}
      </button>
    </section>
  );
}

function Shown({ find: f }: { find: Find }) {
  return (
    <li>
      <Page id={f.id} url={f.url} name={nameOf(f)} language={f.language} />
      <p class="fine">
        <span>{f.domain}</span>
        {f.language !== lang.value && languageName(f.language, lang.value) && <span>{languageName(f.language, lang.value)}</span>}
        <LiveLink url={f.url} />
      </p>
    </li>
  );
}

/** A page by its archived copy. */
function Page({ id, url, name, language = "" }: { id: string; url: string; name: string; language?: string }) {
  return (
    <a href={href("mine", id ? { id } : { url })} title={url} lang={language || undefined} dir="auto">
      {name}
    </a>
  );
}

/** A time, with its day unless it is of today. */
function moment(at: string): string {
  return new Date(at).toDateString() === new Date().toDateString() ? clockTime(at) : `${date(at, false)} ${clockTime(at)}`;
}
