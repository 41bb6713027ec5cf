import { describe, expect, it } from "vitest";
import { along, angle, apart, arcAt, bend, depth, inside, joined, onDisc, placeOf, seat, type Arc } from "./geometry";

const disc = { cx: 100, cy: 100, r: 80 };

describe("places", () => {
  it("go clockwise from the top", () => {
    const near = (p: { x: number; y: number }, x: number, y: number) => {
      expect(p.x).toBeCloseTo(x);
      expect(p.y).toBeCloseTo(y);
    };
    near(onDisc(disc, 0), 100, 20);
    near(onDisc(disc, 0.25), 180, 100);
    near(onDisc(disc, 0.5), 100, 180);
    near(onDisc(disc, 0.75, 0.5), 60, 100);
    expect(angle(0.25)).toBeCloseTo(0);
  });

  it("are found again from their points", () => {
    for (const at of [0, 0.1, 0.25, 0.49, 0.5, 0.77, 0.999]) {
      for (const part of [0.3, 1]) {
        const got = placeOf(disc, onDisc(disc, at, part));
        expect(apart(got.at, at)).toBeLessThan(1e-9);
        expect(got.part).toBeCloseTo(part);
        expect(got.at).toBeLessThan(1);
        expect(got.at).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it("are apart by the shorter way", () => {
    expect(apart(0.95, 0.05)).toBeCloseTo(0.1);
    expect(apart(0.2, 0.7)).toBeCloseTo(0.5);
  });
});

it("a chord begins and ends where it should and bends to the middle", () => {
  const from = onDisc(disc, 0);
  const to = onDisc(disc, 0.25);
  const by = bend(disc, from, to);
  expect(along(from, by, to, 0)).toEqual(from);
  expect(along(from, by, to, 1)).toEqual(to);
  const half = placeOf(disc, along(from, by, to, 0.5));
  expect(half.at).toBeCloseTo(0.125);
  expect(half.part).toBeLessThan(Math.SQRT1_2);
  const near = bend(disc, from, onDisc(disc, 0.02));
  expect(placeOf(disc, near).part).toBeGreaterThan(0.7); // no hairpins
});

const arcs: Arc[] = [
  { from: 0, to: 0.1, member: 0 },
  { from: 0.1, to: 0.5, member: 1 },
  { from: 0.5, to: 0.7, member: 0 },
  { from: 0.7, to: 1, member: 2 },
];

describe("arcs", () => {
  it.each([
    [0, 0],
    [0.0999, 0],
    [0.1, 1],
    [0.5, 2],
    [0.9999, 3],
    [1, -1],
    [-1, -1],
  ])("hold their places: %f in %i", (at, want) => {
    expect(arcAt(arcs, at)).toBe(want);
    expect(arcAt([], at)).toBe(-1);
  });

  it("of one member join where they touch", () => {
    const got = joined([
      { from: 0, to: 0.25, member: 1 },
      { from: 0.25, to: 0.5, member: 1 },
      { from: 0.5, to: 0.75, member: 0 },
      { from: 0.75, to: 1, member: 1 },
    ]);
    expect(got).toEqual([
      { from: 0, to: 0.5, member: 1 },
      { from: 0.5, to: 0.75, member: 0 },
      { from: 0.75, to: 1, member: 1 },
    ]);
  });

  it("have a seat in the widest", () => {
    expect(seat(arcs, 0)).toBeCloseTo(0.6);
    expect(seat(arcs, 7)).toBe(-1);
  });
});

it("sites with more pages are nearer to the middle, within bounds", () => {
  const list = [0, 1, 10, 100, 1000, 1e9].map(depth);
  for (let i = 1; i < list.length; i++) expect(list[i]!).toBeLessThan(list[i - 1]!);
  expect(list.at(-1)).toBeGreaterThan(0.2);
  expect(depth(-3)).toBe(depth(0));
});

describe("a text beside a site", () => {
  it("stays within the circle, at its site where there is room", () => {
    expect(inside(disc, { x: 110, y: 90 }, 20, 8)).toEqual({ x: 110, y: 90 });
    for (const at of [0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.9]) {
      for (const long of [5, 30, 60]) {
        const p = inside(disc, onDisc(disc, at), long, 8);
        for (const [x, y] of [[-long, -8], [long, -8], [-long, 8], [long, 8]] as const) {
          expect(Math.hypot(p.x + x - disc.cx, p.y + y - disc.cy)).toBeLessThanOrEqual(disc.r + 1e-9);
        }
      }
    }
  });
});
