import { expect, test } from "vitest";
import { join, sizeBytes, splitSize, splitTime } from "./amount";

test.each([
  ["20 GB", "20", "GB", 20e9],
  ["1.5 GiB", "1.5", "GiB", 1.5 * 2 ** 30],
  ["500mb", "500", "MB", 500e6],
  ["0", "0", "GB", 0],
  ["1000", "1000", "B", 1000],
  ["1,5 GB", "1,5", "GB", NaN],
  ["many", "many", "GB", NaN],
  ["many MB", "many", "MB", NaN],
  ["abc GB", "abc", "GB", NaN],
  ["abc", "abc", "GB", NaN],
  ["", "", "GB", NaN],
  [" MB", "", "MB", NaN],
])("the size %j", (text, number, unit, bytes) => {
  expect(splitSize(text)).toEqual({ number, unit });
  expect(sizeBytes(text)).toBe(bytes);
});

test.each([
  ["5 min", "5", "min"],
  ["5m", "5", "min"],
  ["90 s", "90", "s"],
  ["1 h 30 min", "90", "min"],
  ["2d", "2", "d"],
  ["soon h", "soon", "h"],
  [" min", "", "min"],
  ["soon", "soon", "s"],
  ["hours min", "hours", "min"],
  ["1 h min", "1 h", "min"],
])("the length of time %j", (text, number, unit) => {
  expect(splitTime(text)).toEqual({ number, unit });
});

test("an amount is joined as the file has it", () => {
  expect(join({ number: " 20 ", unit: "GB" })).toBe("20 GB");
  expect(join({ number: "7", unit: "" })).toBe("7");
});
