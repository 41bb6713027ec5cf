import { expect, test } from "vitest";
import { sorted, turned } from "./sort";

test("the first click on figures puts the largest first, the second the smallest", () => {
  const first = turned({ by: "name", down: false }, "pages", true);
  expect(first).toEqual({ by: "pages", down: true });
  expect(turned(first, "pages", true)).toEqual({ by: "pages", down: false });
  expect(turned(first, "name", false)).toEqual({ by: "name", down: false });
});

test("what has no value comes last either way, and equals stay as they are", () => {
  const rows = [{ n: 2, k: "a" }, { n: null, k: "b" }, { n: 1, k: "c" }, { n: 2, k: "d" }];
  const names = (down: boolean) => sorted(rows, (r) => r.n, down).map((r) => r.k).join("");
  expect(names(false)).toBe("cadb");
  expect(names(true)).toBe("adcb");
  expect(sorted(["b", "Ä", "a"], (s) => s, false)).toEqual(["a", "Ä", "b"]);
});
