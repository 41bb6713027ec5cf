import { describe, expect, it } from "vitest";
import { frames, parse, type Frame } from "./sse";

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
