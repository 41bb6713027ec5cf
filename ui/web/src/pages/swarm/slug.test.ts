import { expect, it } from "vitest";
import { slug } from "./slug";

it("makes keys of words", () => {
  expect(slug("owns and fetches")).toBe("owns-and-fetches");
  expect(slug("none now")).toBe("none-now");
});
