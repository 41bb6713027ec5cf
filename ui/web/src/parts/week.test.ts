import { expect, test } from "vitest";
import { box, clock, dayCells, dayOf, equal, fromRows, hourOf, paint, toRows, turn, turnAll, weekCells, whole } from "./week";

test("rows of levels are weeks", () => {
  const rows = Array.from({ length: 7 }, () => new Array<number>(96).fill(1));
  expect(fromRows(rows)).toEqual(whole(1));
  expect(toRows(whole(1))).toEqual(rows);
  const week = paint(whole(2), [3, weekCells - 1], 0);
  expect(fromRows(toRows(week))).toEqual(week);
  expect(fromRows(rows.slice(1))).toBeNull();
  expect(fromRows([])).toBeNull();
});

test("painting", () => {
  // Where weeks begin on Sundays, from Sunday to Saturday is every day.
  expect(box(6 * dayCells, 5 * dayCells, [6, 0, 1, 2, 3, 4, 5])).toEqual([6, 0, 1, 2, 3, 4, 5].map((day) => day * dayCells));
  expect(box(dayCells + 5, 3)).toEqual([3, 4, 5, dayCells + 3, dayCells + 4, dayCells + 5]);
  const week = paint(whole(0), box(0, dayCells + 1), 2);
  expect(equal(week, paint(whole(0), [0, 1, dayCells, dayCells + 1], 2))).toBe(true);
  expect(turn(week, 0, 2)).toBe(0);
  expect(turn(week, 0, 1)).toBe(1);
  expect(turnAll(week, dayOf(0), 2)).toBe(2);
  expect(turnAll(paint(week, dayOf(0), 2), dayOf(0), 2)).toBe(0);
  expect(hourOf(23).slice(0, 5)).toEqual([92, 93, 94, 95, dayCells + 92]);
  expect(hourOf(23)).toHaveLength(28);
});

test("words for times", () => {
  expect(clock(89)).toBe("22:15");
});
