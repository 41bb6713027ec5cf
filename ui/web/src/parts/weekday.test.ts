import { expect, test } from "vitest";
import { dayName, weekOrder } from "./weekday";

test("names", () => {
  expect(dayName("en", 0, "long")).toBe("Monday");
  expect(dayName("de", 6, "short")).toBe("So");
});

test.each([
  ["en", ["en-US", "en"], 6],
  ["en", ["de-DE", "en-GB"], 0],
  ["de", ["en-US"], 0],
  ["en", ["no locale"], 6],
])("a week in %s with %j begins with day %i", (lang, languages, first) => {
  const order = weekOrder(lang, languages);
  expect(order[0]).toBe(first);
  expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});
