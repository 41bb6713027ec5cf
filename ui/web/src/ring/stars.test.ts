import { expect, it } from "vitest";
import type { Event } from "../types";
import { Stars, languagesOf, mostStars } from "./stars";

const event = (more: Partial<Event>): Event => ({
  id: 1, time: "2026-01-02T00:00:00Z", kind: "page", code: "fetched", domain: "a.example", url: "", status: 200, bytes: 0, title: "", language: "", text: "", at: 0.25,
  peer: "", count: 0, took_ms: 0, ...more,
});

it("what an event tells counts until the list knows more", () => {
  const stars = new Stars();
  stars.list([{ at: 0.25, domain: "a.example", fetched: 4, last: "2026-01-01T00:00:00Z" }]);
  expect(stars.note(event({}))).toBe(true);
  expect(stars.get("a.example")).toMatchObject({ fetched: 5, last: Date.parse("2026-01-02T00:00:00Z") });
  stars.list([{ at: 0.25, domain: "a.example", fetched: 5, last: null }]);
  expect(stars.get("a.example")).toMatchObject({ fetched: 5, last: Date.parse("2026-01-02T00:00:00Z") });
  stars.list([]);
  expect(stars.size).toBe(0);
});

it("only own sites with a place are points", () => {
  const stars = new Stars();
  expect(stars.note(event({ peer: "other" }))).toBe(false);
  expect(stars.note(event({ at: -1 }))).toBe(false);
  expect(stars.note(event({ code: "robots" }))).toBe(false);
  expect(stars.note(event({ code: "unchanged" }))).toBe(true);
  expect(stars.get("a.example")!.fetched).toBe(0);
  expect(stars.note(event({ code: "domain-left" }))).toBe(true);
  expect(stars.size).toBe(0);
});

it("their number is bounded: who was not visited for longest gives way", () => {
  const stars = new Stars();
  for (let i = 0; i <= mostStars; i++) stars.note(event({ domain: `d${i}`, time: new Date(1e12 + i * 1000).toISOString() }));
  expect(stars.size).toBe(mostStars);
  expect(stars.get("d0")).toBeUndefined();
  expect(stars.get(`d${mostStars}`)).toBeDefined();
});

const at = (s: number): string => new Date(s * 1000).toISOString();
const fetched = (domain: string, s: number): Event =>
  ({ code: "fetched", kind: "page", domain, at: 0.5, peer: "", time: at(s) }) as Event;

it("those that were not visited for longest give way", () => {
  const stars = new Stars();
  const list = Array.from({ length: mostStars }, (_, i) => ({ at: 0.1, domain: `d${i}.example`, fetched: 1, last: at(10000 - i) }));
  stars.list(list); // the latest first, as a node lists them
  const oldest = list.at(-1)!.domain;
  expect(stars.note(fetched(oldest, 20000))).toBe(true);
  expect(stars.size).toBe(mostStars);
  stars.note(fetched("new.example", 20001));
  expect(stars.size).toBe(mostStars);
  expect(stars.get(oldest)?.fetched).toBe(2);
  expect(stars.get(list.at(-2)!.domain)).toBeUndefined();
  expect(stars.get("new.example")?.last).toBe(20001000);
});

it("a list that is older than an event keeps what the event told", () => {
  const stars = new Stars();
  stars.note(fetched("a.example", 50));
  stars.list([
    { at: 0.1, domain: "b.example", fetched: 1, last: at(40) },
    { at: 0.5, domain: "a.example", fetched: 1, last: at(30) },
    { at: 0.2, domain: "c.example", fetched: 0, last: null },
  ]);
  expect(stars.get("a.example")?.last).toBe(50000);
  expect([...stars.all()].map((s) => s.domain)).toEqual(["c.example", "b.example", "a.example"]);
});

it("visits are remembered from the latest back, again and again, and sites that are only known are not", () => {
  const stars = new Stars();
  stars.list([
    { at: 0.1, domain: "old", fetched: 2, last: "2026-01-01T00:00:00Z" },
    { at: 0.2, domain: "new", fetched: 1, last: "2026-02-01T00:00:00Z" },
    { at: 0.3, domain: "known", fetched: 0, last: null },
  ]);
  expect([0, 1, 2].map((n) => stars.remembered(n)?.domain)).toEqual(["new", "old", "new"]);
  expect(new Stars().remembered(0)).toBeNull();
});

it("a site has the language of its latest page that says which it is in", () => {
  const stars = new Stars();
  const listed = { at: 0.25, domain: "a.example", fetched: 4, last: "2026-01-01T00:00:00Z", language: "fi" };
  stars.list([listed]);
  stars.note(event({ language: "" }));
  expect(stars.get("a.example")!.language).toBe("fi");
  stars.note(event({ language: "de", time: "2026-01-03T00:00:00Z" }));
  stars.list([listed]); // from before
  expect(stars.get("a.example")!.language).toBe("de");
  stars.list([{ ...listed, last: "2026-01-04T00:00:00Z", language: "en" }]);
  expect(stars.get("a.example")!.language).toBe("en");
  expect(languagesOf([{ language: "fi" }, { language: "" }, { language: "en" }, { language: "fi" }, { language: "de" }])).toEqual(["fi", "de", "en"]);
});
