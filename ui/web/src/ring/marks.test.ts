import { describe, expect, it } from "vitest";
import type { Event } from "../types";
import { Marks, after, flight, ghostOf, ghostly, markOf, starts, titleOf, type Map, type Mark } from "./marks";

const map: Map = {
  arcs: [
    { from: 0, to: 0.4, member: 0 },
    { from: 0.4, to: 1, member: 1 },
  ],
  self: 0,
  index: (peer) => ["me", "other"].indexOf(peer),
  depth: () => 0.5,
  orbits: null,
};

const event = (more: Partial<Event>): Event => ({
  id: 7,
  time: "2026-01-01T12:00:00Z",
  kind: "page",
  code: "fetched",
  domain: "a.example",
  url: "",
  status: 200,
  bytes: 1,
  title: "",
  text: "",
  at: 0.3,
  peer: "",
  count: 0,
  took_ms: 1,
  ...more,
});

describe("an event's mark", () => {
  it("is a spark from the middle to the site's place", () => {
    expect(markOf(event({}), map, 100)).toMatchObject({
      id: 7, shape: "spark", way: "out", from: -1, start: 0, to: 0.3, part: 0.5, foreign: false, begin: 100, end: 100 + flight.out + after,
    });
  });

  it.each<[string, Partial<Event>]>([
    ["no place is known", { at: -1 }],
    ["the place is not on the ring", { at: 1 }],
    ["nothing is known of what happened", { code: "something-new" }],
    ["the other one has no arc", { code: "links-sent", peer: "stranger" }],
    ["no other one is named", { code: "links-sent" }],
  ])("is none where %s", (_, more) => {
    expect(markOf(event(more), map, 0)).toBeNull();
  });

  it("does not fly where nothing was requested", () => {
    expect(markOf(event({ code: "forbidden" }), map, 0)).toMatchObject({ way: "here", shape: "bar" });
  });

  it("says that a site is another's", () => {
    expect(markOf(event({ peer: "other" }), map, 0)).toMatchObject({ foreign: true });
  });

  it.each<[string, number, number, number]>([
    ["links-sent", 0.9, 0.2, 0.9],
    ["links-received", 0.1, 0.7, 0.1],
    ["lease-lent", 0.1, 0.1, 0.7],
    ["lease-returned", 0.1, 0.7, 0.1],
    ["lease-held", 0.9, 0.9, 0.2],
    ["lease-brought", 0.9, 0.2, 0.9],
    ["domain-came", 0.1, 0.7, 0.1],
    ["domain-left", 0.9, 0.2, 0.9],
  ])("of %s goes over the ring", (code, at, from, to) => {
    const got = markOf(event({ code, at, peer: "other" }), map, 0);
    expect(got?.way).toBe("over");
    expect(got?.from).toBeCloseTo(from);
    expect(got?.to).toBeCloseTo(to);
  });

  it("goes between the middle and where the other stands where only members are shown", () => {
    const swarm = { ...map, orbits: [{ at: 0, part: 0, size: 0.1 }, { at: 0.25, part: 0.6, size: 0.1 }] };
    expect(markOf(event({}), swarm, 0)).toBeNull();
    expect(markOf(event({ code: "links-sent", at: 0.9, peer: "other" }), swarm, 0)).toMatchObject({ from: 0, start: 0, to: 0.25, part: 0.6 });
    expect(markOf(event({ code: "links-received", at: 0.9, peer: "other" }), swarm, 0)).toMatchObject({ from: 0.25, start: 0.6, to: 0, part: 0 });
    expect(markOf(event({ code: "links-sent", peer: "other" }), { ...swarm, orbits: [swarm.orbits[0]!, null] }, 0)).toBeNull();
  });
});

describe("marks", () => {
  const mark = (id: number, end: number): Mark => ({ ...markOf(event({ id }), map, 0)!, end });

  it("are bounded: the oldest give way", () => {
    const marks = new Marks(3);
    for (let i = 1; i <= 10; i++) marks.add(mark(i, 1000));
    expect(marks.at(0).map((m) => m.id)).toEqual([8, 9, 10]);
  });

  it("are forgotten when they are over", () => {
    const marks = new Marks(3);
    marks.add(mark(1, 100));
    marks.add(mark(2, 200));
    expect(marks.at(150).map((m) => m.id)).toEqual([2]);
    expect(marks.count(150)).toBe(1);
    expect(marks.count(200)).toBe(0);
  });
});

describe("marks begin", () => {
  const clock = Date.parse("2026-01-01T12:00:10Z");
  const at = (...times: string[]) => times.map((time) => event({ time: `2026-01-01T12:00:${time}Z` }));

  it("with the gaps of their events", () => {
    expect(starts(at("09.000", "09.250", "09.900"), 500, clock)).toEqual([500, 750, 1400]);
  });

  it("not for what is long past", () => {
    expect(starts(at("01.000", "09.000"), 500, clock)).toEqual([null, 500]);
    expect(starts(at("01.000"), 500, clock + 3600e3)).toEqual([null]);
  });

  it("within a second", () => {
    expect(starts(at("07.000", "09.500"), 0, clock)).toEqual([0, 1000]);
  });
});

it("is the ghost of a visit at its site, with its name", () => {
  const ghost = ghostOf({ at: 0.3, domain: "site.example", fetched: 12 }, 100);
  expect(ghost).toMatchObject({ shape: "ghost", way: "here", to: 0.3, label: "site.example", begin: 100, end: 100 + ghostly });
});

describe("the title of a page", () => {
  const page = event({ title: "Bread" });
  const mark = markOf(page, map, 100)!;

  it("drifts in where its mark arrives", () => {
    const begin = 100 + flight.out;
    expect(titleOf(page, mark, -Infinity)).toMatchObject({ shape: "ghost", way: "here", label: "Bread", to: 0.3, part: 0.5, begin, end: begin + ghostly });
  });

  it("waits until the one before can be read", () => {
    expect(titleOf(page, mark, 0)).toBeNull();
    expect(titleOf(page, mark, -1000)).not.toBeNull();
  });

  it("is none of another's page, and of one without", () => {
    expect(titleOf(event({}), mark, -Infinity)).toBeNull();
    expect(titleOf(page, { ...mark, foreign: true }, -Infinity)).toBeNull();
  });
});
