import { describe, expect, it } from "vitest";
import { Credit, due, type Pace } from "./frames";

const idle: Pace = { visible: true, still: false, moving: 0, changed: false, asked: false, last: 0, credit: 50 };

describe("a frame is due", () => {
  it.each<[string, Partial<Pace>, number, number | null]>([
    ["never while nothing changes", {}, 1e6, null],
    ["never while nobody looks", { visible: false, moving: 1, changed: true, asked: true }, 1e6, null],
    ["at most 20 times a second while something flies", { moving: 1 }, 10, 1000 / 20 - 10],
    ["more rarely if it never ends", { moving: 1, credit: 0.4 }, 10, 1000 / 6 - 10],
    ["more rarely if much is on its way", { moving: 5 }, 10, 1000 / 6 - 10],
    ["at once after a while", { moving: 1 }, 500, 0],
    ["a second after the last if only a star changed", { changed: true }, 400, 600],
    ["soon if the user waits", { changed: true, asked: true }, 400, 0],
    ["every 5 s where no motion is wanted", { still: true, moving: 1 }, 1000, 4000],
    ["not at all there if nothing happened", { still: true }, 60000, null],
    ["at once there too if the user waits", { still: true, asked: true }, 100, 0],
    ["at once if none was drawn yet", { changed: true, last: -Infinity }, 0, 0],
  ])("%s", (_, change, now, want) => {
    const got = due({ ...idle, ...change }, now);
    if (want === null) expect(got).toBeNull();
    else expect(got).toBeCloseTo(want);
  });
});

it("quick frames are fewer than ten a second in the long run, and smooth after a pause", () => {
  const credit = new Credit();
  const run = (from: number, seconds: number) => {
    let frames = 0;
    for (let now = from; now < from + seconds * 1000; frames++) {
      credit.spend(now);
      now += due({ ...idle, moving: 1, last: now, credit: credit.left }, now)!;
    }
    return frames / seconds;
  };
  expect(run(0, 1)).toBeGreaterThan(16);
  run(1000, 60);
  expect(run(61000, 60)).toBeLessThan(9);
  expect(run(165000, 1)).toBeGreaterThan(16);
});
