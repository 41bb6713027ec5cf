import { expect, test } from "vitest";
import { mostOf } from "./limits";

const settings = {
  "level.in_use": "off",
  "level.away": "full",
  "budget.full.cpu_percent": "25",
  "budget.full.down_kbit": "4000",
  "budget.full.up_kbit": "-1",
  "budget.gentle.cpu_percent": "10",
  "data.day": "1 GB",
  "data.month": "20 GB",
};

test("the highest level counts", () => {
  expect(mostOf(settings)).toEqual({ cpu: 25, down: 4000, up: -1, day: 1e9, month: 20e9, disk: null });
  expect(mostOf({ ...settings, "level.away": "gentle", "level.in_use": "gentle" }).cpu).toBe(10);
});

test("what is not said is not made up", () => {
  expect(mostOf({ "data.day": "much", "budget.gentle.cpu_percent": "x" })).toEqual({ cpu: null, down: null, up: null, day: null, month: null, disk: null });
});
