// Reads an event stream (WHATWG HTML §9.2) as far as our node writes one.

export interface Frame {
  id: string;
  event: string;
  data: string;
}

/** Longer than any event: what never ends is no event. */
const longest = 1 << 20;

/** The events of a stream, as many at a time as came together. */
export async function* frames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const end = rest.lastIndexOf("\n\n");
      if (end < 0) {
        if (rest.length > longest) throw new Error("an event without end");
        continue;
      }
      const batch = parse(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (batch.length > 0) yield batch;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

export function parse(text: string): Frame[] {
  const list: Frame[] = [];
  for (const block of text.split("\n\n")) {
    const frame: Frame = { id: "", event: "", data: "" };
    let any = false;
    for (const line of block.split("\n")) {
      const colon = line.indexOf(":");
      if (colon <= 0) continue;
      const value = line.slice(colon + 1).replace(/^ /, "");
      switch (line.slice(0, colon)) {
        case "id":
          frame.id = value;
          any = true;
          break;
        case "event":
          frame.event = value;
          any = true;
          break;
        case "data":
          frame.data += (frame.data ? "\n" : "") + value;
          any = true;
      }
    }
    if (any) list.push(frame);
  }
  return list;
}

/** A place in the stream: a start of the node, and the number of an event of it. */
export interface Cursor {
  boot: string;
  since: number;
}

/** The place that a frame leads to, null if it says none. */
export function cursorOf(frame: Frame): Cursor | null {
  const dash = frame.id.lastIndexOf("-");
  return dash > 0 ? { boot: frame.id.slice(0, dash), since: Number(frame.id.slice(dash + 1)) } : null;
}

/** What a batch says beyond a place, null if something between them is missing. */
export function newer(batch: Frame[], at: Cursor): Frame[] | null {
  const reset = batch.findLastIndex((frame) => frame.event === "reset");
  if (reset >= 0) return batch.slice(reset); // says itself that something is missing
  const first = batch[0];
  const begin = first ? cursorOf(first) : at;
  if (begin === null || begin.boot !== at.boot || begin.since > at.since + 1) return null;
  return batch.filter((frame) => (cursorOf(frame)?.since ?? 0) > at.since);
}
