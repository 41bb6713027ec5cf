import { expect, it } from "vitest";
import { brightness, ofStep, step, steps } from "./age";

const day = 24 * 3600 * 1000;

it("fresh sites are brightest and fade over days to what can still be seen", () => {
  expect(brightness(0)).toBe(1);
  expect(brightness(-5000)).toBe(1); // a clock that is a little off
  expect(brightness(2 * day)).toBeCloseTo((1 + brightness(null)) / 2);
  expect(brightness(365 * day)).toBeCloseTo(brightness(null));
  expect(brightness(null)).toBeGreaterThan(0.1);
});

it("steps cover all of it", () => {
  expect(step(brightness(0))).toBe(steps - 1);
  expect(step(brightness(null))).toBe(0);
  for (let n = 0; n < steps; n++) expect(step(ofStep(n))).toBe(n);
});
