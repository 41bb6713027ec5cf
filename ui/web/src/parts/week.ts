// A week of quarters of an hour. Nothing here knows of a page.

export const days = 7;
export const dayCells = 96;
export const weekCells = days * dayCells;

/** 0 is off, 1 gentle, 2 full. */
export type Level = 0 | 1 | 2;

/** All cells from Monday 00:00 on. Weeks are never changed, but replaced. */
export type Week = readonly Level[];

export const whole = (level: Level): Week => new Array<Level>(weekCells).fill(level);

/** The week of 7 rows of 96 levels; null if it is none. */
export function fromRows(rows: readonly (readonly number[])[]): Week | null {
  if (rows.length !== days || rows.some((row) => row.length !== dayCells)) return null;
  return rows.flat().map((x) => (x === 1 || x === 2 ? x : 0));
}

/** The week as the node takes it. */
export const toRows = (week: Week): number[][] => Array.from({ length: days }, (_, day) => week.slice(day * dayCells, (day + 1) * dayCells));

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

/** The time at which a cell begins, as 22:15. */
export function clock(cell: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(cell / 4))}:${two((cell % 4) * 15)}`;
}
