import { useMemo, useState } from "preact/hooks";
import { get } from "../../api";
import { bytes, clockTime, date, lang, number, percent, span, t } from "../../i18n";
import { Card, Figure } from "../../parts/card";
import { Chart } from "../../parts/chart";
import { usePolled } from "../../parts/poll";
import { Reached } from "../../parts/milestones";
import { href } from "../../router";
import type { Best, Series, SeriesPoint } from "../../types";

type Unit = Series["unit"];
type Measure = "pages" | "firsts" | "data" | "helped";

const steps: Record<Unit, number> = { hour: 3600, day: 86400, year: 365 * 86400 };
/** How many points are shown, and how many at least: a bar alone says little. */
const spans: Record<Unit, number> = { hour: 48, day: 60, year: 20 };
const least: Record<Unit, number> = { hour: 24, day: 14, year: 5 };
const measures: Record<Measure, { of: (p: SeriesPoint) => number; format: (v: number) => string }> = {
  pages: { of: (p) => p.pages, format: number },
  firsts: { of: (p) => p.firsts, format: number },
  data: { of: (p) => p.bytes_received + p.bytes_sent + p.peer_received + p.peer_sent, format: bytes },
  helped: { of: (p) => p.helped_s / 3600, format: (v) => t("mine.hours", { v: number(v, 1) }) },
};

/** What this node has done, since ever and over time. */
export function Contribution() {
  const [unit, setUnit] = useState<Unit>("day");
  const [measure, setMeasure] = useState<Measure>("pages");
  const series = usePolled((signal) => get<Series>("/api/stats/series", { unit, limit: spans[unit] }, signal), 15000, [unit]);
  const best = usePolled((signal) => get<Best>("/api/stats/best", {}, signal), 60000);
  // Years are kept for ever: their sum is all there is.
  const totals = usePolled((signal) => get<Series>("/api/stats/series", { unit: "year", limit: 1000 }, signal), 15000)?.totals;
  return (
    <>
      <Card title={t("mine.ever")} wide>
        {totals && (
          <dl class="figures">
            <Figure value={number(totals.pages)} text={t("count.pages")} />
            <Figure value={number(totals.firsts)} text={t("count.firsts")} hint={t("count.firsts.hint")} />
            <Figure value={number(totals.domains)} text={t("mine.sites")} />
            <Figure value={number(totals.links)} text={t("mine.links")} />
            <Figure value={bytes(totals.bytes_received)} text={t("mine.received")} />
            <Figure value={span(totals.helped_s)} text={t("mine.helped")} />
          </dl>
        )}
        {best && <Milestones best={best} />}
        {best && <Reached list={best.milestones} />}
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
        {series && (series.points.length > 0 ? <Bars series={series} measure={measure} /> : <p class="empty">{t("mine.nothing")}</p>)}
      </Card>
      <Card title={t("mine.purposes")}>
        {totals && (
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
        )}
      </Card>
      <Card title={t("mine.languages")}>{totals && <Languages of={totals.languages} />}</Card>
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
      {best.busiest_day && <li>{t("mine.busiest", { day: date(best.busiest_day.start), n: best.busiest_day.pages })}</li>}
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

function Bars({ series, measure }: { series: Series; measure: Measure }) {
  const { of, format } = measures[measure];
  const { unit } = series;
  const { times, values } = useMemo(() => filled(series, of), [series, measure]);
  const when = (s: number) => {
    const at = s * 1000;
    if (unit === "hour") return `${date(at, false)} ${clockTime(at)}`;
    // Days and years are those of UTC.
    const fields = unit === "day" ? ({ day: "numeric", month: "short", year: "numeric" } as const) : ({ year: "numeric" } as const);
    return new Intl.DateTimeFormat(lang.value, { ...fields, timeZone: "UTC" }).format(at);
  };
  const sum = values.reduce((a, b) => a + b, 0);
  const label = t(`mine.measure.${measure}`);
  return (
    <Chart times={times} values={values} label={label} format={format} step={steps[unit]} when={when} summary={t("mine.summary", { what: label, sum: format(sum), from: when(times[0]!), to: when(times.at(-1)!) })} />
  );
}

/** The points with those between and before them at which nothing happened, which the node does not keep. */
function filled(series: Series, of: (p: SeriesPoint) => number): { times: number[]; values: number[] } {
  const known = new Map(series.points.map((p) => [Date.parse(p.start) / 1000, of(p)]));
  const last = Math.max(...known.keys());
  const back = (n: number): number => (series.unit === "year" ? Date.UTC(new Date(last * 1000).getUTCFullYear() - n, 0) / 1000 : last - n * steps[series.unit]);
  let n = spans[series.unit];
  while (n > least[series.unit] && back(n - 1) < Math.min(...known.keys())) n--;
  const times = Array.from({ length: n }, (_, i) => back(n - 1 - i));
  return { times, values: times.map((at) => known.get(at) ?? 0) };
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
