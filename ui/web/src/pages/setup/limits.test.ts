import { expect, test } from "vitest";
import { mostOf } from "./limits";

test("the most of settings is what they say", () => {
  expect(mostOf({ "data.month": "20 GB", "disk.max": "-1" })).toEqual({ month: 20e9, disk: -1 });
});

test("what is not said is not made up", () => {
  expect(mostOf({ "data.month": "much" })).toEqual({ month: null, disk: null });
});
