import { describe, expect, it } from "vitest";
import { cursorOf, frames, newer, parse, type Frame } from "./sse";

const streamOf = (...chunks: (string | Uint8Array)[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(out) {
      for (const c of chunks) out.enqueue(typeof c === "string" ? new TextEncoder().encode(c) : c);
      out.close();
    },
  });

const read = async (body: ReadableStream<Uint8Array>): Promise<Frame[]> => {
  const all: Frame[] = [];
  for await (const batch of frames(body)) all.push(...batch);
  return all;
};

describe("event streams", () => {
  it("are read as our node writes them", () => {
    expect(parse('retry: 2000\n\nid: ab-1\ndata: {"id":1}\n\n:\n\nevent: reset\nid: ab-7\ndata: {}')).toEqual([
      { id: "ab-1", event: "", data: '{"id":1}' },
      { id: "ab-7", event: "reset", data: "{}" },
    ]);
  });

  it("are the same wherever they are cut", async () => {
    const text = new TextEncoder().encode('id: a-1\ndata: {"title":"Brötchen – 朝"}\n\nid: a-2\ndata: {}\n\n');
    for (let cut = 0; cut <= text.length; cut++) {
      const got = await read(streamOf(text.slice(0, cut), text.slice(cut)));
      expect(got.map((f) => f.id)).toEqual(["a-1", "a-2"]);
      expect(JSON.parse(got[0]!.data).title).toBe("Brötchen – 朝");
    }
  });

  it("leave out an event that is cut off", async () => {
    expect(await read(streamOf("id: a-1\ndata: {}\n\nid: a-2\nda"))).toHaveLength(1);
  });

  it("end when an event has no end", async () => {
    await expect(read(streamOf(`data: ${"x".repeat(1 << 20)}x`))).rejects.toThrow();
  });
});

const frame = (seq: number, event = "", boot = "b001"): Frame => ({ id: `${boot}-${seq}`, event, data: "{}" });
const place = { boot: "b001", since: 7 };

describe("what another page heard", () => {
  it.each<[string, Frame[], number[] | null]>([
    ["goes on from here", [frame(8), frame(9)], [8, 9]],
    ["is known in part", [frame(6), frame(7), frame(8)], [8]],
    ["is known", [frame(6), frame(7)], []],
    ["leaves something out", [frame(9)], null],
    ["is of another start of the node", [frame(8, "", "b002")], null],
    ["says itself that something is missing", [frame(90, "reset"), frame(91)], [90, 91]],
    ["says so in its midst", [frame(8), frame(90, "reset"), frame(91)], [90, 91]],
    ["is nothing", [], []],
  ])("%s", (_, batch, want) => {
    const got = newer(batch, place);
    expect(got === null ? null : got.map((f) => cursorOf(f)!.since)).toEqual(want);
  });
});
