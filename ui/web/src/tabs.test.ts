import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { takePart, type Part } from "./tabs";

/** The locks of one browser, as far as they are used here. */
class Locks {
  private queue: Promise<unknown> = Promise.resolve();
  private held = 0;

  request(_: string, options: { ifAvailable?: boolean; signal?: AbortSignal }, use?: (lock: object | null) => Promise<unknown>): Promise<unknown> {
    if (options.ifAvailable && this.held > 0) return use!(null);
    this.held++;
    const turn = this.queue.then(() => (options.signal?.aborted ? undefined : use!({})));
    this.queue = turn.then(() => this.held--);
    return turn;
  }
}

/** A page that notes what it does, and leads until it is told to end. */
function page(): Part<string> & { log: string[]; tell: (what: string) => void; stop: AbortController } {
  const stop = new AbortController();
  const p = {
    log: [] as string[],
    stop,
    tell: (_: string) => {},
    lead: (tell: (what: string) => void) => {
      p.log.push("leads");
      p.tell = tell;
      return new Promise<void>((done) => stop.signal.addEventListener("abort", () => done()));
    },
    join: () => void p.log.push("joins"),
    hear: (what: string) => void p.log.push(what),
  };
  return p;
}

const settle = () => new Promise((done) => setTimeout(done, 20));

beforeEach(() => vi.stubGlobal("navigator", { locks: new Locks() }));
afterEach(() => vi.unstubAllGlobals());

it("one page leads, the others hear, and one of them leads when it is gone", async () => {
  const [a, b] = [page(), page()];
  const first = takePart(a, a.stop.signal);
  await settle();
  const second = takePart(b, b.stop.signal);
  await settle();
  a.tell("one");
  await vi.waitFor(() => expect(b.log).toEqual(["joins", "one"]));
  a.stop.abort();
  await first;
  await vi.waitFor(() => expect(b.log).toEqual(["joins", "one", "leads"]));
  b.stop.abort();
  await second;
  expect(a.log).toEqual(["leads"]);
});

it("without locks each page leads for itself", async () => {
  vi.stubGlobal("navigator", {});
  const a = page();
  const over = takePart(a, a.stop.signal);
  expect(a.log).toEqual(["leads"]);
  a.stop.abort();
  await over;
});

it("where locks are refused the page leads for itself", async () => {
  vi.stubGlobal("navigator", { locks: { request: () => Promise.reject(new Error("refused")) } });
  const a = page();
  const over = takePart(a, a.stop.signal);
  await vi.waitFor(() => expect(a.log).toEqual(["leads"]));
  a.stop.abort();
  await over;
});
