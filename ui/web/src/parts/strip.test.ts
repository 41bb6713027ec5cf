import { expect, test } from "vitest";
import { columns, stripOf } from "./strip";

const now = Date.parse("2026-03-02T12:07:00Z");
const minute = (start: string, mean: number, max: number, limit: number) => ({ start, seconds: 900, level: "full", figures: [{ name: "cpu_percent", limit, mean, max }] });

test("a strip ends now and begins a day ago", () => {
  const s = stripOf([minute("2026-03-01T12:14:00Z", 1, 2, 5), minute("2026-03-01T12:15:00Z", 1, 2, 5), minute("2026-03-02T12:00:00Z", 3, 4, 5)], "cpu_percent", now);
  expect(s.bars.map((b) => b.x)).toEqual([0, columns - 1]);
  expect(s.top).toBe(5);
  expect(s.most).toBe(4);
});

test("it is as high as what was used where there is no limit, or one that was exceeded", () => {
  expect(stripOf([minute("2026-03-02T12:00:00Z", 3, 4, -1)], "cpu_percent", now).top).toBe(4);
  expect(stripOf([minute("2026-03-02T12:00:00Z", 3, 9, 5)], "cpu_percent", now).top).toBe(9);
});

test("what was not measured is not there", () => {
  expect(stripOf([minute("2026-03-02T12:00:00Z", 3, 4, 5)], "up_kbit", now)).toEqual({ bars: [], top: 0, most: 0 });
});
