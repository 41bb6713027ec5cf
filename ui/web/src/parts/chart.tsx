import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useId, useRef } from "preact/hooks";
import { lang, number, t } from "../i18n";

const height = 220;

export interface ChartProps {
  /** Seconds since 1970, ascending. */
  times: number[];
  values: number[];
  /** As many of an earlier time, to compare with; empty for none. */
  timesBefore: number[];
  before: number[];
  /** What the values are, for screen readers. */
  label: string;
  format?: (value: number) => string;
  /** What a bar stands for, in seconds. */
  step: number;
  when: (seconds: number) => string;
  /** A time at the axis, and whether the points are of UTC. */
  tick: (seconds: number) => string;
  utc: boolean;
  summary: string;
}

/**
 * Bars over time, and a line for the time before. The pointer has the value and its time told; a range that is dragged is
 * shown alone, and a double click shows all. The same figures stand in a table for who cannot see them.
 */
export function Chart({ times, values, timesBefore, before, label, format = number, step, when, tick, utc, summary }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLParagraphElement>(null);
  const id = useId();

  useEffect(() => {
    const at = box.current!;
    let plot: uPlot | null = null;
    const tell = (u: uPlot) => {
      const i = u.cursor.idx;
      const words = tip.current!;
      words.hidden = i === null || i === undefined;
      if (i === null || i === undefined) return;
      const lines = [`${when(times[i]!)}: ${format(values[i]!)}`];
      if (before.length > 0) lines.push(`${when(timesBefore[i]!)}: ${format(before[i]!)}`);
      words.textContent = lines.join("\n");
      const x = u.over.offsetLeft + u.valToPos(times[i]!, "x");
      words.style.left = `${Math.max(0, Math.min(at.clientWidth - words.offsetWidth, x - words.offsetWidth / 2))}px`;
    };
    const draw = () => {
      plot?.destroy();
      const style = getComputedStyle(document.documentElement);
      const colour = (name: string) => style.getPropertyValue(name).trim();
      const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
      const series: uPlot.Series[] = [{}, { fill: colour("--leaf"), width: 0, paths: uPlot.paths.bars!({ size: [0.8, 48] }), points: { show: false } }];
      if (before.length > 0) series.push({ stroke: colour("--amber-mark"), width: 2, dash: [6, 4], points: { show: false } });
      plot = new uPlot(
        {
          width: at.clientWidth,
          height,
          cursor: { y: false, points: { show: false } },
          legend: { show: false },
          tzDate: (seconds) => (utc ? uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") : new Date(seconds * 1000)),
          hooks: { setCursor: [tell] },
          scales: { x: { time: true, range: (_u, min, max) => [min - step * 0.6, max + step * 0.6] }, y: { range: (_u, _min, max) => [0, Math.max(1, max * 1.1)] } },
          axes: [{ ...axis, grid: { show: false }, space: 64, values: (_u, list) => list.map(tick) }, { ...axis, size: 64, values: (_u, list) => list.map((v) => format(v)) }],
          series,
        },
        before.length > 0 ? [times, values, before] : [times, values],
        at,
      );
    };
    draw();
    const sizes = new ResizeObserver(() => plot?.setSize({ width: at.clientWidth, height }));
    sizes.observe(at);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", draw);
    return () => {
      sizes.disconnect();
      dark.removeEventListener("change", draw);
      plot?.destroy();
    };
  }, [times, values, before, label, lang.value]);

  return (
    <figure class="chart">
      <div class="chart-box" aria-hidden="true">
        <div ref={box} />
        <p class="chart-tip" ref={tip} hidden />
      </div>
      <figcaption id={id}>{summary}</figcaption>
      <table class="unseen" aria-labelledby={id}>
        <thead>
          <tr>
            <th scope="col">{t("chart.when")}</th>
            <th scope="col">{label}</th>
            {before.length > 0 && <th scope="col">{t("mine.before")}</th>}
          </tr>
        </thead>
        <tbody>
          {times.map((at, i) => (
            <tr key={at}>
              <th scope="row">{when(at)}</th>
              <td>{format(values[i] ?? 0)}</td>
              {before.length > 0 && <td>{format(before[i] ?? 0)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
