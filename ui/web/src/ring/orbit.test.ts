import { expect, it } from "vitest";
import { around, partOf, reachOf, Room, sizeOf, type Body } from "./orbit";

const body = (ms: number, bearing: number, more: Partial<Body> = {}): Body => ({ ms, bearing, seat: 0.6, share: 0.1, ...more });

it.each([
  [[], 20],
  [[-1], 20],
  [[21], 40],
  [[41, 90], 100],
  [[180], 200],
  [[5, 5, 5, 5, 5, 5, 5, 5, 5, 3000], 20],
])("the scale of %j reaches to %i ms", (list, want) => {
  expect(reachOf(list.map((ms) => body(ms, 0)))).toBe(want);
});

it("the distance from the middle is the round trip", () => {
  const [near, far, aside, unknown] = around([body(40, 0.1), body(160, 0.4), body(80, -1, { seat: 0.25 }), body(-1, -1)], 0.05);
  expect(near).toMatchObject({ at: 0.1, part: partOf(40, 200) });
  expect(far!.part).toBeCloseTo(4 * near!.part);
  expect(aside!.at).toBe(0.25);
  expect(unknown).toMatchObject({ at: 0.6, part: 1 });
});

it("none lies on another", () => {
  const list = around(Array.from({ length: 12 }, () => body(30, 0.995, { share: 0.04 })), 0.05);
  const point = (p: { at: number; part: number }) => [p.part * Math.sin(p.at * 2 * Math.PI), p.part * Math.cos(p.at * 2 * Math.PI)] as const;
  list.forEach((p, i) => {
    for (const o of list.slice(0, i)) {
      const [[ax, ay], [bx, by]] = [point(p), point(o)];
      expect(Math.hypot(ax - bx, ay - by)).toBeGreaterThan(2 * sizeOf(0.04));
    }
  });
});

it("a name stands where there is room", () => {
  const room = new Room(100);
  room.take(50, 50, 10);
  expect(room.beside(50, 50, 10, 40, 20)).toMatchObject({ x: 30, y: 63 });
  expect(room.beside(50, 50, 10, 40, 20)).toMatchObject({ x: 30, y: 17 });
  expect(room.beside(50, 50, 10, 40, 20)).toBeNull();
});
