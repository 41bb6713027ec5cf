import { expect, it } from "vitest";
import type { Domain } from "../../types";
import { merge, mostFound, none } from "./refused";

const domain = (name: string, refusals = 0, challenges = 0, backoffs = 0): Domain => ({
  domain: name, owner: "", state: "due", reason: "", queued: 0, fetched: 0, failed: 0, duplicates: 0, bytes: 0, refusals, challenges, backoffs,
  next_visit: null, crawl_delay_s: 0, title: "", distance: "",
});

it("keeps those that refused, the worst first, over several parts", () => {
  const first = merge(none, [domain("a"), domain("b", 1), domain("c", 0, 0, 5)], 3);
  expect(first).toMatchObject({ seen: 3, after: "c", done: false });
  const second = merge(first, [domain("d", 2, 1)], 3);
  expect(second.found.map((d) => d.domain)).toEqual(["c", "d", "b"]);
  expect(second).toMatchObject({ seen: 4, after: "d", done: true });
});

it("ends where there is nothing more", () => {
  expect(merge(none, [], 3)).toMatchObject({ seen: 0, after: "", done: true });
});

it("keeps no more than can be read", () => {
  const many = Array.from({ length: 1000 }, (_, i) => domain(`d${i}`, i + 1));
  const got = merge(none, many, 1000);
  expect(got.found).toHaveLength(mostFound);
  expect(got.found[0]!.refusals).toBe(1000);
});
