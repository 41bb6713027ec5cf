import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { clockTime, duration, t } from "../i18n";
import { limits, lostAt, reachable, status, stopped } from "../live";
import { href } from "../router";
import { Menu, type Item } from "./menu";
import { RunModes, command, setRun } from "./runmode";

type Mood = "working" | "waiting" | "paused" | "problem";

/** What the node does, in a shape and a colour. */
export function mood(): Mood {
  const s = status.value;
  if (s !== null && !reachable.value && stopped.value) return "paused";
  if (s === null || !reachable.value || limits.value?.fault || s.trouble) return "problem";
  if (s.state === "working") return "working";
  if (s.state !== "waiting") return "paused";
  return s.pages_per_s > 0 ? "working" : "waiting"; // between visits it is at work
}

const marks: Record<Mood, string> = {
  working: "M8 5l11 7-11 7z",
  waiting: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 3v5l4 2",
  paused: "M7 5h4v14H7zM13 5h4v14h-4z",
  problem: "M12 3l10 18H2zM12 10v5m0 2v1",
};

export function StatusBar() {
  const s = status.value!;
  const l = limits.value;
  const acts = useRef<HTMLDivElement>(null);
  const m = mood();
  const by = manual();
  // What was pressed may be gone after it: whoever uses the keyboard goes on with what stands there now.
  const stay = (selector: string) => {
    if (document.activeElement === document.body) acts.current?.querySelector<HTMLElement>(selector)?.focus();
  };
  const resume = () => command("/api/resume", t("pause.resumed")).then(() => stay("[aria-haspopup]"));
  const says = reachable.value ? s.sentence : t(stopped.value ? "stopped.short" : "lost.short");
  const until = reachable.value && !l?.reasons[0]?.until && by !== "rest" ? l?.changes : null;
  const heard = useRef("");
  heard.current = toHear(heard.current, says);
  const words = useRef<HTMLDivElement>(null);
  const [long, setLong] = useState(false); // more than there is room for is scrolled, by keyboard too
  useLayoutEffect(() => setLong(words.current!.scrollHeight > words.current!.clientHeight + 1));
  return (
    <header class={`status ${m}`}>
      <svg class="mark" viewBox="0 0 24 24" width="26" height="26" aria-hidden="true">
        <path d={marks[m]} />
      </svg>
      <p class="unseen" role="status">
        {heard.current}
      </p>
      <div class="words" ref={words} tabIndex={long ? 0 : undefined}>
        <p>
          <span class="sentence">{says}</span>{" "}
          {l?.fault ? <span class="fault">{t("bar.fault", { fault: l.fault })}</span> : until && <span class="next">{t("bar.changes", { at: clockTime(until) })}</span>}{" "}
          {m === "paused" && reachable.value && s.setting && (
            <a class="next" href={href("settings", { key: s.setting })}>
              {t("bar.setting")}
            </a>
          )}
        </p>
      </div>
      <div class="steer">
        {reachable.value ? (
          <>
            <RunModes />
            <div class="acts" ref={acts}>
              {by && (
                <button type="button" class={by === "rest" ? "main" : ""} onClick={() => void resume()}>
                  {t(by === "rest" ? "pause.resume" : "pause.back")}
                </button>
              )}
              {l?.help_now && <KeepGoing />}
              {by !== "rest" && <Menu label={t("pause.menu")} items={pauses(() => stay("button"))} />}
            </div>
          </>
        ) : (
          <Lost />
        )}
      </div>
    </header>
  );
}

/**
 * What is read aloud when it changes: the state alone. The pages of the last minute change all the time, and between
 * two visits the work goes on.
 */
function toHear(before: string, sentence: string): string {
  if (mood() !== "working") return sentence;
  return before !== "" && status.value?.state === "waiting" ? before : sentence.replace(/\. .*$/s, ".");
}

/** Work although the user is there: as buttons, and where these have no room, as a menu. */
function KeepGoing() {
  const items = keepGoing();
  return (
    <>
      <div class="keep" role="group" aria-label={t("keep.menu")}>
        <span aria-hidden="true">{t("keep.menu")}</span>
        {items.map((item) => (
          <button key={item.text} type="button" class="main" onClick={item.act}>
            {item.text}
          </button>
        ))}
      </div>
      <div class="keep-menu">
        <Menu kind="main" label={t("keep.menu")} items={items} />
      </div>
    </>
  );
}

/** What the user asked for by hand and still holds, "" if nothing. */
function manual(): "" | "rest" | "work" {
  const l = limits.value;
  if (l?.reasons.some((r) => r.kind === "finishing" || r.kind === "paused") || l?.mode === "off") return "rest";
  return l?.mode === "on" ? "work" : "";
}

function pauses(then: () => void): Item[] {
  const pause = (key: string, length?: string) => ({
    text: t(key),
    act: () => void command("/api/pause", t("pause.done"), length ? { for: length } : {}).then(then),
  });
  return [
    pause("pause.15m", "15m"),
    pause("pause.1h", "1h"),
    pause("pause.3h", "3h"),
    pause("pause.8h", "8h"),
    pause("pause.tomorrow", untilTomorrow()),
    pause("pause.forever"),
    { text: t("pause.work"), act: () => void command("/api/work", t("pause.working"), { for: "2m" }) },
    { text: t("pause.finish"), act: () => void command("/api/finish", t("pause.finishing")) },
  ];
}

/** Work although the user is there. */
function keepGoing(): Item[] {
  const go = (key: string, length: string) => ({ text: t(key), act: () => void command("/api/work", t("keep.done"), { for: length }) });
  return [go("keep.15m", "15m"), go("keep.1h", "1h"), { text: t("run.always"), act: () => void setRun("always") }];
}

/** The time until six in the morning, when a new day begins for most. */
export function untilTomorrow(now = new Date()): string {
  const at = new Date(now);
  at.setDate(at.getDate() + (at.getHours() < 4 ? 0 : 1));
  at.setHours(6, 0, 0, 0);
  return `${Math.max(60, Math.round((at.getTime() - now.getTime()) / 1000))}s`;
}

/** What is shown while the node does not answer. The page comes back by itself. */
export function Lost({ first = false }: { first?: boolean }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const since = lostAt.value === 0 ? 0 : (now - lostAt.value) / 1000;
  if (first && since === 0) return <p class="loading">{t("lost.first")}</p>;
  if (stopped.value && since > 0) {
    return (
      <p class="lost calm" role="status">
        {t("stopped.start")} <code>{status.value?.lab ? "forage demo" : "forage"}</code>
      </p>
    );
  }
  return (
    <div class="lost" role="alert">
      <p>{t("lost.text", { since: duration(since) })}</p>
      <p>
        <code>forage</code> {t("lost.start")}
      </p>
    </div>
  );
}
