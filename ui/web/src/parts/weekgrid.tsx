// A week to paint on: seven days of 96 quarters of an hour, by pointer or keyboard (WAI-ARIA grid pattern).

import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { lang, t } from "../i18n";
import { box, clock, dayCells, dayOf, days, equal, hourOf, paint, turn, turnAll, type Level, type Week } from "./week";
import { dayName, weekOrder } from "./weekday";

export interface WeekGridProps {
  week: Week;
  /** What is painted, for screen readers. */
  label: string;
  /** The week in words, "" while nobody has said what is painted. */
  summary: string;
  /** Called when a stroke is done. */
  onPaint: (week: Week) => void;
  disabled?: boolean;
}

interface Stroke {
  from: number;
  to: number;
  level: Level;
  /** Fingers paint whole hours. */
  coarse: boolean;
}

/** Where the keyboard is: row -1 are the hours, column -1 the days. */
interface Place {
  row: number;
  column: number;
}

const brushes: Level[] = [2, 1, 0];

export function WeekGrid({ week, label, summary, onPaint, disabled = false }: WeekGridProps) {
  const [brush, setBrush] = useState<Level>(2);
  const [stroke, setStroke] = useState<Stroke | null>(null);
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  const [said, setSaid] = useState("");
  // What Shift with arrows goes on painting, null before it begins.
  const going = useRef<Level | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const id = useId();
  const order = useMemo(() => weekOrder(lang.value), [lang.value]);
  const now = useNow();
  const shown = stroke ? paint(week, covered(stroke, order), stroke.level) : week;

  const change = (next: Week) => {
    if (!disabled && !equal(next, week)) onPaint(next);
  };

  const cellAt = (x: number, y: number): number | null => {
    const cell = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-cell]");
    return cell && grid.current?.contains(cell) ? Number(cell.dataset.cell) : null;
  };

  const onDown = (e: PointerEvent) => {
    const cell = cellAt(e.clientX, e.clientY);
    if (disabled || cell === null || e.button !== 0) return;
    grid.current?.setPointerCapture(e.pointerId);
    setPlace({ row: order.indexOf(Math.floor(cell / dayCells)), column: cell % dayCells });
    setStroke({ from: cell, to: cell, level: turn(week, cell, brush), coarse: e.pointerType === "touch" });
  };

  const onMove = (e: PointerEvent) => {
    if (!stroke) return;
    const cell = cellAt(e.clientX, e.clientY);
    if (cell !== null && cell !== stroke.to) setStroke({ ...stroke, to: cell });
  };

  const onUp = () => {
    if (stroke) change(shown);
    setStroke(null);
  };

  const go = (to: Place) => {
    setPlace(to);
    // Focus follows when the cell has become the one that can have it.
    requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };

  const turnCell = (cell: number) => {
    going.current = turn(week, cell, brush);
    const next = paint(week, [cell], going.current);
    change(next);
    setSaid(cellText(next, cell));
  };

  /** Paints from the place of the keyboard to another of the same row or column. */
  const paintTo = (to: Place) => {
    if (disabled) return;
    const cell = (p: Place) => order[p.row]! * dayCells + p.column;
    going.current ??= turn(week, cell(place), brush);
    const rows = order.slice(Math.min(place.row, to.row), Math.max(place.row, to.row) + 1);
    const cells = rows.flatMap((day) => box(day * dayCells + place.column, day * dayCells + to.column));
    const next = paint(week, cells, going.current);
    change(next);
    setSaid(t("week.painted", { cell: cellText(next, cell(to)) }));
  };

  const onKey = (e: KeyboardEvent) => {
    if (e.key === "Escape" && stroke) {
      setStroke(null);
      return;
    }
    const to = moved(place, e);
    const onCell = place.row >= 0 && place.column >= 0;
    if (to) {
      e.preventDefault();
      if (!e.shiftKey) going.current = null;
      else if (onCell && to.row >= 0 && to.column >= 0) paintTo(to);
      go(to);
    } else if ((e.key === " " || e.key === "Enter") && onCell) {
      e.preventDefault();
      if (!disabled) turnCell(order[place.row]! * dayCells + place.column);
    }
  };

  return (
    <div class="week">
      <fieldset class="brushes">
        <legend>{t("week.brush")}</legend>
        {brushes.map((level) => (
          <label key={level} class={`brush l${level}`}>
            <input type="radio" name={`${id}-brush`} checked={brush === level} onChange={() => setBrush(level)} />
            <span class="swatch" aria-hidden="true" />
            {t(`week.level.${level}`)}
          </label>
        ))}
      </fieldset>
      <div
        class={disabled ? "week-grid off" : "week-grid"}
        role="grid"
        aria-label={label}
        aria-describedby={`${id}-help`}
        aria-readonly={disabled}
        ref={grid}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={() => setStroke(null)}
        onKeyDown={onKey}
      >
        <div role="row" class="week-row week-hours">
          <span role="columnheader" class="corner">
            <span class="unseen">{t("week.day")}</span>
          </span>
          {Array.from({ length: 24 }, (_, hour) => (
            <span key={hour} role="columnheader" aria-colspan={4} class={hour % 3 === 0 ? "hour third" : "hour"}>
              <button
                type="button"
                class="plain"
                tabIndex={place.row < 0 && Math.floor(place.column / 4) === hour ? 0 : -1}
                disabled={disabled}
                onFocus={() => setPlace({ row: -1, column: hour * 4 })}
                onClick={() => change(paint(week, hourOf(hour), turnAll(week, hourOf(hour), brush)))}
              >
                <span aria-hidden="true">{hour}</span>
                <span class="unseen">{t("week.hour", { hour: clock(hour * 4) })}</span>
              </button>
            </span>
          ))}
        </div>
        {order.map((day, row) => (
          <Day
            key={day}
            day={day}
            levels={shown.slice(day * dayCells, (day + 1) * dayCells)}
            active={place.row === row ? place.column : null}
            now={Math.floor(now / dayCells) === day ? now % dayCells : -1}
            disabled={disabled}
            onButton={() => change(paint(week, dayOf(day), turnAll(week, dayOf(day), brush)))}
            onButtonFocus={() => setPlace({ row, column: -1 })}
          />
        ))}
      </div>
      <p class="week-summary">{stroke ? cellText(shown, stroke.to) : summary}</p>
      <p class="fine" id={`${id}-help`}>
        {t("week.help")}
      </p>
      <p class="unseen" role="status">
        {said}
      </p>
    </div>
  );
}

interface DayProps {
  day: number;
  levels: Level[];
  /** The column that has the focus, null if it is in another row. */
  active: number | null;
  now: number;
  disabled: boolean;
  onButton: () => void;
  onButtonFocus: () => void;
}

function Day({ day, levels, active, now, disabled, onButton, onButtonFocus }: DayProps) {
  const name = dayName(lang.value, day, "long");
  // The cells are 96 elements: they are made anew only when one of them changes.
  const cells = useMemo(
    () =>
      levels.map((level, i) => (
        <span
          key={i}
          role="gridcell"
          class={`cell l${level}${i % 4 === 0 ? " full" : ""}${i === now ? " now" : ""}`}
          data-cell={day * dayCells + i}
          tabIndex={i === active ? 0 : -1}
          aria-label={t("week.cell", { day: name, time: clock(i), level: t(`week.is.${level}`) })}
        />
      )),
    [levels.join(""), active, now, name],
  );
  return (
    <div role="row" class="week-row">
      <span role="rowheader" class="day">
        <button type="button" class="plain" tabIndex={active === -1 ? 0 : -1} disabled={disabled} onClick={onButton} onFocus={onButtonFocus}>
          <span aria-hidden="true">{dayName(lang.value, day, "short")}</span>
          <span class="unseen">{t("week.whole", { day: name })}</span>
        </button>
      </span>
      {cells}
    </div>
  );
}

function covered(stroke: Stroke, order: readonly number[]): number[] {
  const cells = box(stroke.from, stroke.to, order);
  if (!stroke.coarse) return cells;
  return [...new Set(cells.flatMap((cell) => [0, 1, 2, 3].map((q) => cell - (cell % 4) + q)))];
}

/** Where a key leads, null if it is none that moves. */
function moved({ row, column }: Place, e: KeyboardEvent): Place | null {
  const step = row < 0 || e.ctrlKey || e.metaKey ? 4 : 1;
  const atHour = column < 0 ? 0 : column;
  switch (e.key) {
    case "ArrowLeft":
      if (column <= 0) return { row, column: row < 0 ? 0 : -1 };
      return { row, column: Math.max(0, column - step) };
    case "ArrowRight":
      return { row, column: column < 0 ? 0 : Math.min(dayCells - 1, column + step) };
    case "ArrowUp":
      return row <= 0 ? { row: column < 0 ? 0 : -1, column } : { row: row - 1, column };
    case "ArrowDown":
      return { row: Math.min(days - 1, row + 1), column };
    case "Home":
      return { row, column: 0 };
    case "End":
      return { row, column: dayCells - 1 };
    case "PageUp":
      return { row: 0, column: atHour };
    case "PageDown":
      return { row: days - 1, column: atHour };
  }
  return null;
}

/** The cell of this moment, by this computer's clock. */
function useNow(): number {
  const [now, setNow] = useState(() => cellOf(new Date()));
  useEffect(() => {
    const timer = setInterval(() => setNow(cellOf(new Date())), 30000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const cellOf = (at: Date): number => ((at.getDay() + 6) % 7) * dayCells + at.getHours() * 4 + Math.floor(at.getMinutes() / 15);

const cellText = (week: Week, cell: number): string =>
  t("week.cell", { day: dayName(lang.value, Math.floor(cell / dayCells), "long"), time: clock(cell % dayCells), level: t(`week.is.${week[cell]!}`) });
