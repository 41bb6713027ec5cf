import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useId, useRef } from "preact/hooks";
import { lang, number, t } from "../i18n";

export interface ChartProps {
  /** Seconds since 1970, ascending. */
  times: number[];
  values: number[];
  /** What the values are, for the legend and for screen readers. */
  label: string;
  format?: (value: number) => string;
  /** What a bar stands for, in seconds. */
  step: number;
  when: (seconds: number) => string;
  summary: string;
}

/** Bars over time. The same figures stand in a table for who cannot see them. */
export function Chart({ times, values, label, format = number, step, when, summary }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    const at = box.current!;
    let plot: uPlot | null = null;
    const draw = () => {
      plot?.destroy();
      const style = getComputedStyle(document.documentElement);
      const colour = (name: string) => style.getPropertyValue(name).trim();
      const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
      plot = new uPlot(
        {
          width: at.clientWidth,
          height: 220,
          cursor: { y: false, points: { show: false } },
          legend: { live: true },
          scales: { x: { time: true, range: () => [times[0]! - step * 0.6, times.at(-1)! + step * 0.6] }, y: { range: (_u, _min, max) => [0, Math.max(1, max * 1.1)] } },
          axes: [{ ...axis, grid: { show: false } }, { ...axis, size: 64, values: (_u, list) => list.map((v) => format(v)) }],
          series: [
            { value: (_u, v) => (v === null ? "" : when(v)), label: t("chart.when") },
            {
              label,
              fill: colour("--leaf"),
              stroke: colour("--leaf"),
              width: 0,
              paths: uPlot.paths.bars!({ size: [0.8, 48] }),
              points: { show: false },
              value: (_u, v) => (v === null ? "" : format(v)),
            },
          ],
        },
        [times, values],
        at,
      );
    };
    draw();
    const sizes = new ResizeObserver(() => plot?.setSize({ width: at.clientWidth, height: 220 }));
    sizes.observe(at);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", draw);
    return () => {
      sizes.disconnect();
      dark.removeEventListener("change", draw);
      plot?.destroy();
    };
  }, [times, values, label, lang.value]);

  return (
    <figure class="chart">
      <div ref={box} aria-hidden="true" />
      <figcaption id={id}>{summary}</figcaption>
      <table class="unseen" aria-labelledby={id}>
        <tbody>
          {times.map((at, i) => (
            <tr key={at}>
              <th scope="row">{when(at)}</th>
              <td>{format(values[i] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
