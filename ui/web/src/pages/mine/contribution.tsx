import { useEffect, useMemo, useState } from "preact/hooks";
import { get } from "../../api";
import { bytes, clockTime, date, day, lang, number, percent, span, t } from "../../i18n";
import { Card, Figure } from "../../parts/card";
import { Chart } from "../../parts/chart";
import { usePolled } from "../../parts/poll";
import { Reached } from "../../parts/milestones";
import { href } from "../../router";
import type { Best, Series, SeriesPoint } from "../../types";
import { asked, periods, running, steps, zone, type Unit } from "./periods";

type Measure = "pages" | "firsts" | "data" | "helped";

const measures: Record<Measure, { of: (p: SeriesPoint) => number; format: (v: number) => string }> = {
  pages: { of: (p) => p.pages, format: number },
  firsts: { of: (p) => p.firsts, format: number },
  data: { of: (p) => p.bytes_received + p.bytes_sent + p.peer_received + p.peer_sent, format: bytes },
  helped: { of: (p) => p.helped_s / 3600, format: (v) => t("mine.hours", { v: number(v, 1) }) },
};

/** What this node has done, since ever and over time. It appears when all of it is known, which onReady is told. */
export function Contribution({ onReady }: { onReady: () => void }) {
  const [shown, setShown] = useState<Shown>({ compared: false, summed: false });
  const [unit, setUnit] = useState<Unit>("day");
  const [measure, setMeasure] = useState<Measure>("pages");
  const series = usePolled((signal) => get<Series>("/api/stats/series", asked(unit), signal), 15000, [unit]);
  const best = usePolled((signal) => get<Best>("/api/stats/best", { zone: zone() }, signal), 60000);
  // Years are kept for ever: their sum is all there is.
  const totals = usePolled((signal) => get<Series>("/api/stats/series", { unit: "year", limit: 1000 }, signal), 15000)?.totals;
  const ready = series !== undefined && best !== undefined && totals !== undefined;
  useEffect(() => {
    if (ready) onReady();
  }, [ready]);
  if (!ready) return <p class="loading">{t("loading")}</p>;
  return (
    <>
      <Card title={t("mine.ever")} wide>
          <dl class="figures">
            <Figure value={number(totals.pages)} text={t("count.pages")} />
            <Figure value={number(totals.firsts)} text={t("count.firsts")} hint={t("count.firsts.hint")} />
            <Figure value={number(totals.domains)} text={t("mine.sites")} />
            <Figure value={number(totals.links)} text={t("mine.links")} />
            <Figure value={bytes(totals.bytes_received)} text={t("mine.received")} />
            <Figure value={span(totals.helped_s)} text={t("mine.helped")} />
          </dl>
        <Milestones best={best} />
        <Reached list={best.milestones} />
      </Card>
      <Card
        title={t("mine.time")}
        wide
        note={
          <span class="choices">
            <Choice label={t("mine.measure")} value={measure} all={["pages", "firsts", "data", "helped"]} text={(m) => t(`mine.measure.${m}`)} set={setMeasure} />
            <Choice label={t("mine.unit")} value={unit} all={["hour", "day", "year"]} text={(u) => t(`mine.unit.${u}`)} set={setUnit} />
          </span>
        }
      >
        {series.points.length > 0 ? (
          <>
            <p class="choices chart-how">
              <Tick text={t("mine.compare")} on={shown.compared} set={(compared) => setShown({ ...shown, compared })} />
              <Tick text={t("mine.sum")} on={shown.summed} set={(summed) => setShown({ ...shown, summed })} />
            </p>
            <Bars series={series} measure={measure} shown={shown} />
          </>
        ) : (
          <p class="empty">{t("mine.nothing")}</p>
        )}
      </Card>
      <Card title={t("mine.purposes")}>
          <table>
            <tbody>
              <Row text={t("mine.fromsites")} value={bytes(totals.bytes_received)} />
              <Row text={t("mine.tosites")} value={bytes(totals.bytes_sent)} />
              <Row text={t("mine.frompeers")} value={bytes(totals.peer_received)} />
              <Row text={t("mine.topeers")} value={bytes(totals.peer_sent)} />
              {totals.connects > 0 && <Row text={t("mine.distance")} value={`${number(Math.round(totals.connect_ms / totals.connects))} ms`} />}
              <Row text={t("mine.unchanged")} value={number(totals.unchanged)} />
              <Row text={t("mine.duplicates")} value={number(totals.duplicates)} />
              <Row text={t("mine.gone")} value={number(totals.gone)} />
              <Row text={t("mine.failed")} value={number(totals.failed)} />
            </tbody>
          </table>
      </Card>
      <Card title={t("mine.languages")}><Languages of={totals.languages} /></Card>
    </>
  );
}

function Row({ text, value }: { text: string; value: string }) {
  return (
    <tr>
      <th scope="row">{text}</th>
      <td class="number">{value}</td>
    </tr>
  );
}

function Milestones({ best }: { best: Best }) {
  return (
    <ul class="milestones">
      {best.days_helped > 0 && <li>{t("mine.days", { n: best.days_helped })}</li>}
      {best.streak_days > 1 && <li>{t("mine.streak", { n: best.streak_days })}</li>}
      {best.busiest_day && <li>{t("mine.busiest", { day: day(best.busiest_day.start), n: best.busiest_day.pages })}</li>}
      {best.first_page && (
        <li>
          {t("mine.first", { day: date(best.first_page.time) })}{" "}
          <a href={href("mine", { url: best.first_page.url })}><bdi>{best.first_page.title || best.first_page.url}</bdi></a>
        </li>
      )}
    </ul>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  all: T[];
  text: (v: T) => string;
  set: (v: T) => void;
}

function Choice<T extends string>({ label, value, all, text, set }: ChoiceProps<T>) {
  return (
    <label>
      <span class="unseen">{label}</span>
      <select value={value} onChange={(e) => set(e.currentTarget.value as T)}>
        {all.map((v) => (
          <option key={v} value={v}>
            {text(v)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** How figures over time are shown. */
interface Shown {
  /** With the period before. */
  compared: boolean;
  /** Each with all before it. */
  summed: boolean;
}

function Tick({ text, on, set }: { text: string; on: boolean; set: (on: boolean) => void }) {
  return (
    <label class="tick">
      <input type="checkbox" checked={on} onChange={(e) => set(e.currentTarget.checked)} />
      {text}
    </label>
  );
}

function Bars({ series, measure, shown: { compared, summed } }: { series: Series; measure: Measure; shown: Shown }) {
  const { of, format } = measures[measure];
  const { unit } = series;
  const { times, values, timesBefore, before } = useMemo(() => periods(series, of), [series, measure]);
  const bars = useMemo(() => (summed ? running(values) : values), [values, summed]);
  const line = useMemo(() => (compared ? (summed ? running(before) : before) : []), [before, compared, summed]);
  const utc = unit !== "hour"; // days and years begin at the midnight of UTC of their date
  const when = (s: number) => (utc ? dayOf(s, unit, true) : `${date(s * 1000, false)} ${clockTime(s * 1000)}`);
  const tick = (s: number) => (utc ? dayOf(s, unit, false) : clockTime(s * 1000));
  const total = (list: number[]) => format(list.reduce((a, b) => a + b, 0));
  const label = t(`mine.measure.${measure}`);
  const summary = t("mine.summary", { what: label, sum: total(values), from: when(times[0]!), to: when(times.at(-1)!) });
  const earlier = compared ? ` · ${t("mine.summary.before", { sum: total(before), from: when(timesBefore[0]!), to: when(timesBefore.at(-1)!) })}` : "";
  return <Chart times={times} values={bars} timesBefore={timesBefore} before={line} label={label} format={format} step={steps[unit]} when={when} tick={tick} utc={utc} summary={summary + earlier} />;
}

function dayOf(seconds: number, unit: Unit, withYear: boolean): string {
  const day = unit === "year" ? {} : ({ day: "numeric", month: "short" } as const);
  const year = withYear || unit === "year" ? ({ year: "numeric" } as const) : {};
  return new Intl.DateTimeFormat(lang.value, { ...day, ...year, timeZone: "UTC" }).format(seconds * 1000);
}

function Languages({ of }: { of: Record<string, number> }) {
  const names = new Intl.DisplayNames(lang.value, { type: "language", fallback: "code" });
  const nameOf = (code: string) => {
    if (code === "other" || code === "") return t("mine.otherlanguages");
    try {
      return names.of(code) ?? code;
    } catch {
      return code;
    }
  };
  const list = Object.entries(of).sort((a, b) => b[1] - a[1]);
  const all = list.reduce((sum, [, n]) => sum + n, 0);
  if (all === 0) return <p class="empty">{t("mine.nothing")}</p>;
  return (
    <table>
      <tbody>
        {list.slice(0, 8).map(([code, n]) => (
          <tr key={code}>
            <th scope="row">{nameOf(code)}</th>
            <td class="number">{number(n)}</td>
            <td class="number">{percent(n / all, 1)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
