import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { bytes, clockTime, date, duration, has, lang, number, percent, span, t } from "../i18n";
import { events, limits, reachable, status } from "../live";
import { WhileAway, away } from "../parts/away";
import { Card, Figure } from "../parts/card";
import { TodaysFinds } from "../parts/finds";
import { LiveLink } from "../parts/livelink";
import { Meter } from "../parts/meter";
import { pathOf, peerName } from "../parts/names";
import { SiteMenu } from "../parts/never";
import { usePolled } from "../parts/poll";
import { remembered, seated, type Seat } from "../parts/seats";
import { columns, stepMinutes, stripOf, type Strip } from "../parts/strip";
import { RingCard } from "../ring/card";
import { href } from "../router";
import type { Event, LimitBudget, LimitHistory, LimitQuota, Series, Visit } from "../types";

export function Now() {
  if (away.value === undefined) return null; // what comes first on the page is known in a moment
  return (
    <>
      <h1 class="unseen">{t("nav.now")}</h1>
      <WhileAway />
      <div class="columns">
        <div>
          <RingCard />
          <Promises />
        </div>
        <div>
          <Visiting />
          <Today />
          <Latest />
          <TodaysFinds />
        </div>
      </div>
    </>
  );
}

const rows = 6;
/** More are asked for: which of them are shown, their rows tell. */
const mostVisits = 50;

function Visiting() {
  const known = usePolled((signal) => get<{ visits: Visit[] }>("/api/visits", { limit: mostVisits }, signal), 2000)?.visits;
  const kept = useRef<{ of: Visit[] | undefined; seats: Seat[] }>({ of: undefined, seats: [] });
  if (known && kept.current.of !== known) kept.current = { of: known, seats: seated(kept.current.seats, known, rows, Date.now()) };
  // What a node that is gone visited says nothing.
  const list = reachable.value && known ? remembered(kept.current.seats, events.value, rows) : [];
  const now = list.some((s) => s.visit);
  return (
    <Card title={t(now || list.length === 0 ? "now.visiting" : "now.visited")}>
      <ul class="visits">
        {known && list.length === 0 && <li class="empty">{t(reachable.value && status.value?.state !== "paused" ? "now.visiting.none" : "now.visiting.paused")}</li>}
        {list.map((s, i) => (
          <VisitItem key={i} seat={s} />
        ))}
      </ul>
    </Card>
  );
}

function VisitItem({ seat: { domain, url, visit, ended } }: { seat: Seat }) {
  const latest = events.value.findLast((e) => e.domain === domain && e.kind === "page");
  return (
    <li class={visit ? (visit.busy ? "visit busy" : "visit") : "visit past"}>
      <div class="visit-words" key={domain}>
        <strong title={domain}>{domain}</strong>
        <p class="last" title={latest?.url ?? url}>
          {visit?.owner ? t("now.theirs", { peer: peerName(visit.owner) }) : <bdi>{latest?.title || pathOf(latest?.url ?? url)}</bdi>}
        </p>
      </div>
      {visit ? <Countdown visit={visit} /> : <span class="turn">{t("now.ended", { at: clockTime(ended) })}</span>}
      <SiteMenu domain={domain} archived={latest !== undefined} />
    </li>
  );
}

function Countdown({ visit }: { visit: Visit }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (visit.busy) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [visit.busy]);
  if (visit.busy || visit.next === null) return <span class="turn">{t("now.busy")}</span>;
  const left = Math.ceil((Date.parse(visit.next) - now) / 1000);
  return <span class="turn">{left > 0 ? t("now.wait", { time: duration(left) }) : t("now.soon")}</span>;
}

function Promises() {
  const l = limits.value;
  const history = usePolled((signal) => get<LimitHistory>("/api/limits/history", { lang: lang.value, step: stepMinutes }, signal), 30000, [lang.value]);
  if (!l || !reachable.value) return null; // what a node that is gone used says nothing
  const breaches = history?.breaches ?? [];
  return (
    <Card title={t("promises.title")} note={<a href={href("settings")}>{t("promises.change")}</a>}>
      {l.budgets.filter((b) => has(`budget.${b.name}`)).map((b) => <Budget key={b.name} budget={b} breached={breaches.some((x) => x.name === b.name)} />)}
      {l.quotas.map((q) => (
        <Quota key={q.name} quota={q} />
      ))}
      {breaches.length === 0 ? (
          <p class={history ? "kept" : "kept untold"}>{t("promises.kept")}</p>
        ) : (
          <details class="broken">
            <summary>{t("promises.broken", { n: breaches.length })}</summary>
            <ul>
              {breaches.map((b) => (
                <li key={b.start + b.name}>
                  {t("promises.breach", {
                    at: `${date(b.start, false)} ${clockTime(b.start, true)}`,
                    what: t(`budget.${b.name}`),
                    worst: amount(b.name, b.worst),
                    limit: amount(b.name, b.limit),
                    time: duration(b.length_s),
                  })}{" "}
                  {b.cause}
                </li>
              ))}
            </ul>
          </details>
        )}
      <Day minutes={history?.minutes ?? []} />
    </Card>
  );
}

/** What was used of each budget in the last 24 hours, with what was allowed. */
function Day({ minutes }: { minutes: LimitHistory["minutes"] }) {
  const strips = (limits.value?.budgets ?? [])
    .filter((b) => has(`budget.${b.name}`))
    .map((b) => ({ name: b.name, strip: stripOf(minutes, b.name, Date.now()) }))
    .filter(({ strip }) => strip.bars.length > 0);
  return (
    <details class="past-day">
      <summary>{t("promises.day")}</summary>
      <p class="fine">{t("promises.day.text")}</p>
      <ul>
        {strips.map(({ name, strip }) => (
          <li key={name}>
            <span>{t(`budget.${name}`)}</span>
            <span class="fine">{t("promises.day.most", { most: amount(name, strip.most) })}</span>
            <StripPicture strip={strip} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function StripPicture({ strip: { bars, top } }: { strip: Strip }) {
  const y = (v: number) => (top > 0 ? 24 - (24 * v) / top : 24);
  return (
    <svg class="strip" viewBox={`0 0 ${columns} 28`} preserveAspectRatio="none" aria-hidden="true">
      {bars.map((b) => (
        <g key={b.x}>
          <rect class="most" x={b.x} y={y(b.max)} width="1" height={24 - y(b.max)} />
          <rect class="mean" x={b.x} y={y(b.mean)} width="1" height={24 - y(b.mean)} />
          <rect class={`level ${b.level}`} x={b.x} y="25" width="1" height="3" />
        </g>
      ))}
      <path class="limit" d={bars.map((b) => (b.limit >= 0 ? `M${b.x} ${y(b.limit)}h1` : "")).join("")} />
    </svg>
  );
}

function Budget({ budget: b, breached }: { budget: LimitBudget; breached: boolean }) {
  const used = amount(b.name, b.now);
  if (limits.value?.level === "off") { // what other nodes may take then is not a limit of the user's
    return <Meter name={t(`budget.${b.name}`)} used={0} limit={0} text={t("promises.nothing", { used })} breached={breached} />;
  }
  const text = b.limit < 0 ? t("promises.unlimited", { used }) : t("promises.of", { used, limit: amount(b.name, b.limit) });
  return <Meter name={t(`budget.${b.name}`)} used={b.now} limit={b.limit} text={text} breached={breached} />;
}

function Quota({ quota: q }: { quota: LimitQuota }) {
  const used = bytes(q.used);
  const text = q.limit < 0 ? t("promises.unlimited", { used }) : t("promises.of", { used, limit: bytes(q.limit) });
  return <Meter name={t(`quota.${q.name}`)} used={q.used} limit={q.limit} text={text} />;
}

/** A measure of a budget with its unit. */
function amount(name: string, value: number): string {
  if (value < 0) return "–";
  switch (name) {
    case "cpu_percent":
      return percent(value / 100, 1);
    case "down_kbit":
    case "up_kbit":
      return value >= 1000 ? `${number(value / 1000, 1)}\u00a0Mbit/s` : `${number(value)}\u00a0kbit/s`;
    default:
      return number(value, value < 10 ? 1 : 0);
  }
}

function Today() {
  const s = status.value!;
  const today = usePolled((signal) => get<Series>("/api/stats/series", { unit: "hour", from: midnight(), limit: 26 }, signal), 5000)?.totals;
  return (
    <Card title={t("now.today")} note={<a href={href("mine")}>{t("now.all")}</a>}>
      <dl class="figures">
        <Figure value={today ? number(today.pages) : "–"} text={t("count.pages")} />
        <Figure value={today ? number(today.firsts) : "–"} text={t("count.firsts")} hint={t("count.firsts.hint")} />
        <Figure value={today ? span(today.helped_s) : "–"} text={t("mine.helped")} />
        <Figure value={number(s.domains)} text={t("count.domains")} />
        <Figure value={number(s.queued)} text={t("count.queued")} />
        <Figure value={number(Math.max(1, s.members)) /* one that rests is in no list */} text={t("count.members")} hint={t("now.members")} />
      </dl>
    </Card>
  );
}

/** The hour in which the user's day began. */
function midnight(): string {
  const at = new Date();
  at.setHours(0, 0, 0, 0);
  at.setUTCMinutes(0);
  return at.toISOString();
}

/** The latest pages, as a list that screen readers hear of. */
function Latest() {
  const list = pagesOf(events.value);
  return (
    <Card title={t("now.latest")} note={<a href={href("log")}>{t("now.log")}</a>}>
      <ol class="latest">
        {list.length === 0 && <li class="empty">{t("now.latest.none")}</li>}
        {list.map((e, i) => (
          <li key={i}>
            <time dateTime={e.time}>{clockTime(e.time, true)}</time>
            <a key={e.id} href={href("mine", { url: e.url })} title={e.url}>
              <bdi>{e.title || pathOf(e.url)}</bdi>
            </a>
            <LiveLink kind="site" url={e.url}>
              {e.domain}
            </LiveLink>
          </li>
        ))}
      </ol>
    </Card>
  );
}

const pagesOf = (list: Event[]): Event[] =>
  list
    .filter((e) => e.kind === "page")
    .slice(-8)
    .reverse();
