import { beforeEach, describe, expect, it } from "vitest";
import { onDisc } from "./geometry";
import { fitted, wrap } from "./paintbase";
import { Scene } from "./scene";

const disc = { cx: 200, cy: 200, r: 180 };
let scene: Scene;

beforeEach(() => {
  scene = new Scene();
  scene.list({
    self: "me",
    members: [
      { id: "me", self: true, connected: false, share: 0.4, capacity: 1, away_ms: 0, bearing: -1 },
      { id: "near", self: false, connected: true, share: 0.5, capacity: 1, away_ms: 40, bearing: 0.25 },
      { id: "far", self: false, connected: false, share: 0.1, capacity: 1, away_ms: -1, bearing: -1 },
    ],
    points: [],
    arcs: [
      { from: 0, to: 0.2, member: 0 },
      { from: 0.2, to: 0.4, member: 0 },
      { from: 0.4, to: 0.9, member: 1 },
      { from: 0.9, to: 1, member: 2 },
    ],
    domains: [
      { at: 0.1, domain: "a.example", fetched: 1, last: null },
      { at: 0.3, domain: "b.example", fetched: 50, last: null },
    ],
    fill: 0.2,
    version: "1",
  });
});

describe("what is at a point", () => {
  it("is the site nearby", () => {
    const p = scene.starPoint(disc, scene.stars.get("b.example")!);
    expect(scene.hit(disc, { x: p.x + 4, y: p.y - 3 })).toMatchObject({ at: 0.3, star: { domain: "b.example" }, member: 0 });
  });

  it("is else who owns the place", () => {
    expect(scene.hit(disc, onDisc(disc, 0.6))).toMatchObject({ star: null, member: 1 });
    expect(scene.hit(disc, onDisc(disc, 0.95, 0.7))).toMatchObject({ star: null, member: 2 });
  });

  it("is nothing outside of the ring", () => {
    expect(scene.hit(disc, onDisc(disc, 0.6, 1.3))).toBeNull();
  });
});

describe("keys go", () => {
  it("from site to site and round", () => {
    const first = scene.next(null, 1, false)!;
    const second = scene.next(first, 1, false)!;
    expect([first.star?.domain, second.star?.domain, scene.next(second, 1, false)!.star?.domain]).toEqual(["a.example", "b.example", "a.example"]);
    expect(scene.next(first, -1, false)!.star?.domain).toBe("b.example");
  });

  it("from part to part", () => {
    const seen = [];
    for (let s = scene.next(null, 1, true)!, i = 0; i < 3; i++, s = scene.next(s, 1, true)!) seen.push(s.member);
    expect(seen).toEqual([0, 1, 2]);
  });

  it("nowhere on an empty ring", () => {
    expect(new Scene().next(null, 1, false)).toBeNull();
  });
});

it("where only members are shown, each stands as far away as it is", () => {
  scene.mode = "swarm";
  const [me, near, far] = scene.orbits;
  expect(me).toMatchObject({ part: 0 });
  expect(near).toMatchObject({ at: 0.25, part: 0.8 }); // the scale reaches to 40 ms
  expect(far).toMatchObject({ at: 0.95, part: 1 }); // it tells no place: at the rim, where its part of the ring is
  expect(scene.hit(disc, onDisc(disc, 0.25, 0.82))).toMatchObject({ member: 1, star: null });
  expect(scene.hit(disc, onDisc(disc, 0.6))).toBeNull();
  const seen = [];
  for (let s = scene.next(null, 1, false)!, i = 0; i < 4; i++, s = scene.next(s, 1, false)!) seen.push(s.member);
  expect(seen).toEqual([0, 1, 2, 0]);
  expect(scene.map().index("far")).toBe(2);
  expect(scene.map().index("stranger")).toBe(-1);
});

it("a sentence is broken between words", () => {
  const measure = (text: string) => text.length;
  expect(wrap("You have paused forage until six.", 12, measure)).toEqual(["You have", "paused", "forage until", "six."]);
  expect(wrap("Donaudampfschifffahrt fährt", 8, measure)).toEqual(["Donaudampfschifffahrt", "fährt"]);
  expect(wrap("  ", 8, measure)).toEqual([]);
});

it("a title that is too long is cut, not squeezed", () => {
  const measure = (text: string) => text.length;
  expect(fitted("Bread", 5, measure)).toBe("Bread");
  expect(fitted("Bread and butter", 8, measure)).toBe("Bread a…");
  expect(fitted("Bread and butter", 7, measure)).toBe("Bread…");
});
