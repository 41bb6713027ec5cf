import { expect, it } from "vitest";
import { dark, hueOf, light, shared } from "./hues";

it("a language has the colour that it has in the window", () => {
  // As in assets/hues/hues_test.go.
  const want = { en: 0, es: 1, de: 2, zh: 6, ko: 1, pt: 2, "": -1, other: -1, fi: 4, haw: 3 };
  for (const [code, hue] of Object.entries(want)) expect([code, hueOf(code)]).toEqual([code, hue]);
  expect(light.length).toBe(dark.length);
});

it("languages of one colour stand together", () => {
  expect(shared(["es", "en", "ko", "de", "pt"])).toEqual([["es", "ko"], ["en"], ["de", "pt"]]);
  expect(shared([])).toEqual([]);
});
