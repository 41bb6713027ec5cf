import { expect, test } from "vitest";
import { settingsOf } from "./state";

test("questions are answered as they are asked", () => {
  const choices = ["a", "b"].map((value) => ({ value, text: value, on: value === "b" }));
  const ask = (key: string, many: boolean) => ({ key, title: "", text: "", many, choices });
  const questions = [ask("one", false), ask("none", false), ask("many", true), ask("empty", true), ask("open", true)];
  expect(settingsOf(questions, { one: ["a"], none: [], many: ["a", "b"], empty: [], gone: ["a"] })).toEqual({ one: "a", many: ["a", "b"], empty: [] });
});
