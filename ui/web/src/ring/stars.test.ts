import { expect, it } from "vitest";
import type { Event } from "../types";
import { Stars, mostStars } from "./stars";

const event = (more: Partial<Event>): Event => ({
  id: 1, time: "2026-01-02T00:00:00Z", kind: "page", code: "fetched", domain: "a.example", url: "", status: 200, bytes: 0, title: "", text: "", at: 0.25,
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
