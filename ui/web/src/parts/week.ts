// A week of quarters of an hour, and the text that the settings file has for it (app/limits/gridtext.go). Nothing
// here knows of a page.

export const days = 7;
export const dayCells = 96;
export const weekCells = days * dayCells;

/** 0 is off, 1 gentle, 2 full. */
export type Level = 0 | 1 | 2;

/** All cells from Monday 00:00 on. Weeks are never changed, but replaced. */
export type Week = readonly Level[];

export const levelNames = ["off", "gentle", "full"] as const;
const dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** On these days (0 is Monday), from a cell to another of the same day or, if that is not later, of the next. */
export interface Part {
  days: number[];
  from: number;
  to: number;
  level: Level;
}

export const whole = (level: Level): Week => new Array<Level>(weekCells).fill(level);

/** The week of 7 rows of 96 levels, or of whether anything is done; null if it is none. */
export function fromRows(rows: readonly (readonly (number | boolean)[])[] | undefined): Week | null {
  if (rows?.length !== days || rows.some((row) => row.length !== dayCells)) return null;
  return rows.flat().map((x) => (x === 1 ? 1 : x === true || x === 2 ? 2 : 0));
}

export const equal = (a: Week, b: Week): boolean => a.length === b.length && a.every((level, i) => level === b[i]);

/** The cells between two corners, both of them included, where the days are shown in some order. */
export function box(a: number, b: number, order: readonly number[] = [0, 1, 2, 3, 4, 5, 6]): number[] {
  const [row, column] = [(cell: number) => order.indexOf(Math.floor(cell / dayCells)), (cell: number) => cell % dayCells];
  const cells: number[] = [];
  for (let r = Math.min(row(a), row(b)); r <= Math.max(row(a), row(b)); r++) {
    for (let c = Math.min(column(a), column(b)); c <= Math.max(column(a), column(b)); c++) cells.push(order[r]! * dayCells + c);
  }
  return cells;
}

export function paint(week: Week, cells: Iterable<number>, level: Level): Week {
  const next = week.slice();
  for (const cell of cells) next[cell] = level;
  return next;
}

/** What painting cells that begin with one does: what has the level already loses it. */
export const turn = (week: Week, cell: number, level: Level): Level => (week[cell] === level ? 0 : level);

/** The level of whole days or hours after their button: what has it everywhere loses it. */
export const turnAll = (week: Week, cells: number[], level: Level): Level => (cells.every((cell) => week[cell] === level) ? 0 : level);

export const dayOf = (day: number): number[] => Array.from({ length: dayCells }, (_, i) => day * dayCells + i);

export const hourOf = (hour: number): number[] => Array.from({ length: days * 4 }, (_, i) => Math.floor(i / 4) * dayCells + hour * 4 + (i % 4));

/** Reads the text of a week; null where the node would refuse it. */
export function parse(text: string): Week | null {
  const dayLayer: (Level | null)[] = new Array<null>(weekCells).fill(null);
  const windows = dayLayer.slice();
  for (const part of text.toLowerCase().split(";")) {
    const words = part.split(/\s+/).filter((w) => w !== "");
    if (words.length < 2 || words.length > 3) return null;
    const set = parseDays(words[0]!);
    const level = levelNames.indexOf(words.at(-1) as (typeof levelNames)[number]);
    const window = words.length === 3 ? parseWindow(words[1]!) : { from: 0, length: dayCells };
    if (!set || level < 0 || !window) return null;
    const layer = words.length === 3 ? windows : dayLayer;
    for (const day of set) {
      for (let i = 0; i < window.length; i++) layer[(day * dayCells + window.from + i) % weekCells] = level as Level;
    }
  }
  const said = dayLayer.map((level, i) => windows[i] ?? level);
  const week = said.map((level) => level ?? 0);
  return said.includes(null) && !week.some((level) => level > 0) ? null : week;
}

function parseDays(text: string): Set<number> | null {
  const set = new Set<number>();
  for (const item of text.split(",")) {
    const [first, last, more] = item === "all" ? ["mon", "sun"] : item.split("-");
    const from = dayNames.indexOf(first ?? "");
    const to = last === undefined ? from : dayNames.indexOf(last);
    if (from < 0 || to < 0 || more !== undefined) return null;
    for (let d = from; ; d = (d + 1) % days) {
      set.add(d);
      if (d === to) break;
    }
  }
  return set;
}

function parseWindow(text: string): { from: number; length: number } | null {
  const [begin, end, more] = text.split("-");
  const from = parseQuarter(begin ?? "");
  const to = parseQuarter(end ?? "");
  if (from === null || to === null || more !== undefined || from === dayCells || from === to) return null;
  return { from, length: to > from ? to - from : dayCells - from + to };
}

/** A time from 00:00 to 24:00, as a cell of its day. */
function parseQuarter(text: string): number | null {
  const match = /^(\d{1,2}):(00|15|30|45)$/.exec(text);
  if (!match) return null;
  const cell = Number(match[1]) * 4 + Number(match[2]) / 15;
  return cell <= dayCells ? cell : null;
}

/** The shortest text for a week, the same as the node writes. */
export function format(week: Week): string {
  return bases.map((base) => textOver(week, base)).reduce((short, text) => (text.length < short.length ? text : short));
}

/** A week in the fewest words: what it is but for the parts, and the parts. */
export function summary(week: Week): { base: Level; parts: Part[] } {
  const all = bases.map((base) => ({ base, parts: parts(week, base), length: textOver(week, base).length }));
  const [fewest] = all.sort((a, b) => a.parts.length - b.parts.length || a.length - b.length);
  return { base: fewest!.base, parts: fewest!.parts };
}

const bases: readonly Level[] = [0, 2, 1]; // of texts of the same length, the first counts

function textOver(week: Week, base: Level): string {
  const list = parts(week, base);
  const texts = list.map((p) => {
    const times = p.from === 0 && p.to === dayCells ? "" : `${clock(p.from)}-${clock(p.to)} `;
    return `${daysText(p.days)} ${times}${levelNames[p.level]}`;
  });
  if (base !== 0 || list.length === 0) texts.unshift(`all ${levelNames[base]}`);
  return texts.join("; ");
}

/** The runs of other levels than base. A run over midnight belongs to the day it begins on. */
function parts(week: Week, base: Level): Part[] {
  let begin = 0; // of a run, so that none goes on over the end of the loop
  while (begin < weekCells && week[begin] === week[(begin + weekCells - 1) % weekCells]) begin++;
  const list: Part[] = [];
  for (let done = 0; done < weekCells; ) {
    let first = (begin + done) % weekCells;
    const level = week[first]!;
    let length = 1;
    while (done + length < weekCells && week[(first + length) % weekCells] === level) length++;
    done += length;
    while (level !== base && length > 0) {
      const from = first % dayCells;
      const overMidnight = from > 0 && length < dayCells;
      const n = overMidnight ? length : Math.min(length, dayCells - from);
      add(list, Math.floor(first / dayCells), from, from + n > dayCells ? from + n - dayCells : from + n, level);
      first = (first + n) % weekCells;
      length -= n;
    }
  }
  for (const p of list) p.days.sort((a, b) => a - b);
  return list.sort((a, b) => a.from - b.from || a.to - b.to || a.level - b.level);
}

function add(list: Part[], day: number, from: number, to: number, level: Level): void {
  const same = list.find((p) => p.from === from && p.to === to && p.level === level);
  if (same) same.days.push(day);
  else list.push({ days: [day], from, to, level });
}

/** The time at which a cell begins, as 22:15. */
export function clock(cell: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(cell / 4))}:${two((cell % 4) * 15)}`;
}

/** Days in a row, three and more of them, are told as first and last. */
export function runs(set: readonly number[]): number[][] {
  const list: number[][] = [];
  for (const day of set) {
    const last = list.at(-1);
    if (last && last.at(-1) === day - 1) last.push(day);
    else list.push([day]);
  }
  return list.flatMap((run) => (run.length >= 3 ? [run] : run.map((day) => [day])));
}

function daysText(set: readonly number[]): string {
  if (set.length === days) return "all";
  return runs(set)
    .map((run) => (run.length > 1 ? `${dayNames[run[0]!]}-${dayNames[run.at(-1)!]}` : dayNames[run[0]!]))
    .join(",");
}
