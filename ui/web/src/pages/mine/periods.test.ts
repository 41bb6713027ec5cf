import { expect, test } from "vitest";
import type { SeriesPoint } from "../../types";
import { asked, periods, running } from "./periods";

const point = (start: string, pages: number) => ({ start, pages }) as SeriesPoint;
const pages = (p: SeriesPoint) => p.pages;

test("days without anything are there, and as many before them", () => {
  const p = periods({ unit: "day", points: [point("2026-01-01T00:00:00Z", 5), point("2026-01-15T00:00:00Z", 1), point("2026-01-20T00:00:00Z", 2)] }, pages);
  expect(p.times.length).toBe(20);
  expect(new Date(p.times.at(-1)! * 1000).toISOString()).toBe("2026-01-20T00:00:00.000Z");
  expect(p.values[0]).toBe(5);
  expect(p.values.reduce((a, b) => a + b)).toBe(8);
  expect(p.timesBefore.at(-1)).toBe(p.times[0]! - 86400);
});

test("the period before has what was counted then", () => {
  const days = Array.from({ length: 120 }, (_, i) => point(new Date(Date.UTC(2026, 0, 1 + i)).toISOString(), i));
  const p = periods({ unit: "day", points: days }, pages);
  expect([p.values[0], p.values.at(-1), p.before[0], p.before.at(-1)]).toEqual([60, 119, 0, 59]);
});

test("years begin in January, also after a leap year", () => {
  const p = periods({ unit: "year", points: [point("2026-01-01T00:00:00Z", 3)] }, pages);
  expect(p.times.map((at) => new Date(at * 1000).toISOString().slice(0, 10))).toEqual(["2022-01-01", "2023-01-01", "2024-01-01", "2025-01-01", "2026-01-01"]);
});

test("days are asked for that begin at the user's midnight", () => {
  expect(asked("day")).toEqual({ unit: "day", limit: 120, zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
});

test("running sums", () => expect(running([1, 0, 2])).toEqual([1, 1, 3]));
