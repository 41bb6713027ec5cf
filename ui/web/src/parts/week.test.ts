import { describe, expect, test } from "vitest";
import { box, clock, dayCells, dayOf, equal, format, fromRows, hourOf, paint, parse, runs, summary, turn, turnAll, weekCells, whole, type Level, type Week } from "./week";

const read = (text: string): Week => {
  const week = parse(text);
  if (!week) throw new Error(`${text} is refused`);
  return week;
};

// The same as in app/limits/grid_test.go: page and node must read and write alike.
describe("text", () => {
  test.each([
    ["all full", "all full"],
    ["ALL  Off", "all off"],
    ["all gentle", "all gentle"],
    ["mon-sun 00:00-24:00 full", "all full"],
    ["all 22:00-06:00 full", "all 22:00-06:00 full"],
    ["all 0:00-6:00 full;all 22:00-24:00 full", "all 22:00-06:00 full"],
    ["fri 22:00-06:00 full", "fri 22:00-06:00 full"],
    ["sun 22:00-06:00 gentle", "sun 22:00-06:00 gentle"],
    ["fri 22:00-00:00 full", "fri 22:00-24:00 full"],
    ["all full; mon-fri 09:00-17:30 off", "all full; mon-fri 09:00-17:30 off"],
    ["sat,sun full", "sat,sun full"],
    ["fri-mon full", "mon,fri-sun full"],
    ["mon,wed,fri 08:15-08:30 gentle", "mon,wed,fri 08:15-08:30 gentle"],
    ["all full; sat off; sat 10:00-11:00 gentle", "mon-fri,sun full; sat 10:00-11:00 gentle"],
    ["fri 22:00-06:00 full; sat gentle", "sat 06:00-24:00 gentle; fri 22:00-06:00 full"],
    ["sat off; fri 22:00-06:00 full", "fri 22:00-06:00 full"],
    ["fri 22:00-06:00 full; sat 00:00-04:00 off", "sat 04:00-06:00 full; fri 22:00-24:00 full"],
  ])("%s", (text, want) => {
    expect(format(read(text))).toBe(want);
    expect(equal(read(want), read(text))).toBe(true);
  });

  test.each([
    "",
    "all",
    "all full;",
    "all full mon gentle",
    "someday full",
    "mon-fri-sun full",
    "mon, full",
    "mon half",
    "mon 22:00 full",
    "mon 22:10-23:00 full",
    "mon 22:00-24:15 full",
    "mon 24:00-06:00 full",
    "mon 1:60-06:00 full",
    "mon -1:00-06:00 full",
    "mon 06:00-06:00 full",
    "mon-fri 09:00-17:00 off",
    "mon off",
  ])("refuses %j", (text) => {
    expect(parse(text)).toBeNull();
  });

  test("of any week is read again", () => {
    const random = generator(7);
    for (let i = 0; i < 300; i++) {
      const week = randomWeek(random);
      const text = format(week);
      expect(equal(read(text), week), text).toBe(true);
    }
  });
});

/** Numbers from 0 to 1 that are the same each time (mulberry32). */
function generator(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A week with runs of all lengths. */
function randomWeek(random: () => number): Week {
  const mean = 2 ** Math.floor(random() * 10);
  const any = () => Math.floor(random() * 3) as Level;
  let level = any();
  return Array.from({ length: weekCells }, () => (level = random() < 1 / mean ? any() : level));
}

test("a window belongs to the day on which it begins", () => {
  const week = read("fri 22:00-06:00 full");
  expect(week[4 * dayCells + 87]).toBe(0);
  expect(week[4 * dayCells + 88]).toBe(2);
  expect(week[5 * dayCells + 23]).toBe(2);
  expect(week[5 * dayCells + 24]).toBe(0);
  expect(summary(week)).toEqual({ base: 0, parts: [{ days: [4], from: 88, to: 24, level: 2 }] });
});

test("a summary begins with what most of the week is", () => {
  expect(summary(read("all full; mon-fri 09:00-17:30 off"))).toEqual({ base: 2, parts: [{ days: [0, 1, 2, 3, 4], from: 36, to: 70, level: 0 }] });
  expect(summary(whole(2))).toEqual({ base: 2, parts: [] });
  expect(summary(whole(0))).toEqual({ base: 0, parts: [] });
});

test("rows of levels and of yes and no are weeks", () => {
  const rows = Array.from({ length: 7 }, () => new Array<number>(96).fill(1));
  expect(fromRows(rows)).toEqual(whole(1));
  expect(fromRows(rows.map((row) => row.map(() => true)))).toEqual(whole(2));
  expect(fromRows(rows.slice(1))).toBeNull();
  expect(fromRows(undefined)).toBeNull();
  expect(fromRows([])).toBeNull();
});

test("painting", () => {
  // Where weeks begin on Sundays, from Sunday to Saturday is every day.
  expect(box(6 * dayCells, 5 * dayCells, [6, 0, 1, 2, 3, 4, 5])).toEqual([6, 0, 1, 2, 3, 4, 5].map((day) => day * dayCells));
  expect(box(dayCells + 5, 3)).toEqual([3, 4, 5, dayCells + 3, dayCells + 4, dayCells + 5]);
  const week = paint(whole(0), box(0, dayCells + 1), 2);
  expect(format(week)).toBe("mon,tue 00:00-00:30 full");
  expect(turn(week, 0, 2)).toBe(0);
  expect(turn(week, 0, 1)).toBe(1);
  expect(turnAll(week, dayOf(0), 2)).toBe(2);
  expect(turnAll(paint(week, dayOf(0), 2), dayOf(0), 2)).toBe(0);
  expect(format(paint(whole(0), hourOf(23), 1))).toBe("all 23:00-24:00 gentle");
});

test("words for days and times", () => {
  expect(clock(89)).toBe("22:15");
  expect(runs([0, 1, 2, 4, 5])).toEqual([[0, 1, 2], [4], [5]]);
});
