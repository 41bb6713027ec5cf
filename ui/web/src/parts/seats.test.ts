import { expect, test } from "vitest";
import type { Event, Visit } from "../types";
import { remembered, seated, stays, type Seat } from "./seats";

const visit = (domain: string): Visit => ({ domain, url: `http://${domain}/`, owner: "", busy: true, next: null, left: 1 }) as Visit;
const names = (seats: Seat[]) => seats.map((s) => (s.visit ? s.domain : `(${s.domain})`)).join(" ");

test("a visit keeps its row, and when it is over the row stays for a while", () => {
  let seats = seated([], ["a", "b", "c"].map(visit), 3, 0);
  expect(names(seats)).toBe("a b c");
  seats = seated(seats, ["c", "a", "d"].map(visit), 3, 1000);
  expect(names(seats)).toBe("a (b) c");
  seats = seated(seats, ["d", "c"].map(visit), 3, 1000 + stays);
  expect(names(seats)).toBe("(a) d c");
});

test("what ended first gives way first, and a site that comes back has its own row", () => {
  let seats = seated([], ["a", "b"].map(visit), 2, 0);
  seats = seated(seats, [visit("b")], 2, 1000);
  seats = seated(seats, [], 2, 2000);
  expect(names(seated(seats, ["c"].map(visit), 2, 60000))).toBe("c (b)");
  expect(names(seated(seats, ["b", "c"].map(visit), 2, 60000))).toBe("c b");
});

test("rows that are left show the sites visited last", () => {
  const page = (domain: string, i: number) => ({ kind: "page", domain, url: `http://${domain}/${i}`, time: new Date(1000 * i).toISOString() }) as Event;
  const seats = remembered(seated([], [visit("a")], 3, 0), ["x", "y", "a", "y", "z"].map(page), 3);
  expect(names(seats)).toBe("a (z) (y)");
  expect(seats[2]!.url).toBe("http://y/3");
});
