import { expect, test } from "vitest";
import { notable } from "./milestones";

const of = (kind: string, count: number, language = "") => ({ kind, count, language, day: null });

test("numbers come first, and first pages in languages crowd nothing out", () => {
  const tongues = ["fi", "is", "ja", "pl"].map((l) => of("language", 0, l));
  const list = [...tongues, of("pages", 1000), of("sites", 100)];
  expect(notable(list).map((m) => m.count || m.language)).toEqual([1000, 100, "fi", "is", "ja"]);
  expect(notable([])).toEqual([]);
});
