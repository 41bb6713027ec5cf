// What the node does now: a snapshot that is asked for again and again while the page is visible, and the stream of
// what happens. Hidden pages ask for nothing.

import { effect, signal } from "@preact/signals";
import { CallError, Unreachable, get, session, stream } from "./api";
import { lang } from "./i18n";
import { cursorOf, frames, newer, type Cursor, type Frame } from "./sse";
import { takePart } from "./tabs";
import type { Event, EventPage, Limits, Status } from "./types";

export const status = signal<Status | null>(null);
export const limits = signal<Limits | null>(null);
/** Whether the node answers; false until it does for the first time. */
export const reachable = signal(false);
/** Since when it does not, 0 if it does or never did. */
export const lostAt = signal(0);
/** Whether the node said that it ends: that it does not answer then is in order. */
export const stopped = signal(false);
/** The latest events, newest last. */
export const events = signal<Event[]>([]);

/** Whether everything was erased from here: there is nothing to come back to. */
export const erased = signal(false);

const kept = 500;
const every = 2000;
/** In how many of these turns limits are asked for once: what they measure are means of ten seconds. */
const limitsEvery = 2;
/** Batches kept while a page catches up with another, pages it asks for then, and events on one. */
const mostHeard = 100;
const mostPages = 5;
const pageSize = 1000;
const patience = [500, 1000, 2000, 4000, 8000];

type Listener = (events: Event[]) => void;
const listeners = new Set<Listener>();

/**
 * Calls back for events as they come; the answer ends it. A component listens in a layout effect: other effects wait
 * for its picture, and it would miss what comes between what it was drawn from and that.
 */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let asking = false;
let stale = false;

/** Asks for a new snapshot at once, as after a command; if not for all, without the limits, which change slowly. */
export async function refresh(all = true): Promise<void> {
  if (asking) {
    stale ||= all;
    return;
  }
  asking = true;
  try {
    const params = { lang: lang.value };
    const [s, l] = await Promise.all([get<Status>("/api/status", params), all || limits.value === null ? get<Limits>("/api/limits", params) : limits.value]);
    status.value = s;
    limits.value = l;
    reachable.value = true;
    stopped.value = s.state === "stopping";
    lostAt.value = 0;
  } catch (cause) {
    if (cause instanceof Unreachable) lose();
    else if (!(cause instanceof CallError)) throw cause;
  } finally {
    asking = false;
    if (stale) {
      stale = false;
      void refresh();
    }
  }
}

function lose(): void {
  if (lostAt.value === 0 && reachable.value) lostAt.value = Date.now();
  reachable.value = false;
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });

async function poll(signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    await refresh(turn % limitsEvery === 0);
    await sleep(every, signal);
  }
}

/** Where this page is in the stream. */
let cursor: Cursor = { boot: "", since: 0 };

/** Follows the node, or the page of this browser that does. */
async function follow(signal: AbortSignal): Promise<void> {
  const behind = new Behind(signal);
  await takePart<Frame[]>({ lead: (tell) => listen(signal, tell), join: () => void behind.catchUp(), hear: (batch) => behind.hear(batch) }, signal);
}

/** Reads the stream of events, again and again until aborted or let out. */
async function listen(signal: AbortSignal, tell: (batch: Frame[]) => void): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (cursor.boot === "") await begin();
      const body = await stream(`/api/events?${params(cursor)}`, signal);
      failures = 0;
      for await (const batch of frames(body)) {
        tell(batch);
        take(batch);
      }
    } catch (cause) {
      if (signal.aborted) return;
      if (cause instanceof CallError && cause.status === 401) return;
    }
    await sleep(patience[Math.min(failures++, patience.length - 1)]!, signal);
  }
}

const params = (at: Cursor): URLSearchParams => new URLSearchParams({ boot: at.boot, since: String(at.since) });

/** Begins a little before now, so that a page that was just opened is not empty. */
async function begin(): Promise<void> {
  const s = await get<Status>("/api/status", { lang: lang.value });
  cursor = { boot: s.boot_id, since: Math.max(0, s.seq - 100) };
}

/** A page of this browser that hears from another one, which may have begun later than where this one is. */
class Behind {
  private catching = false;
  /** What was heard meanwhile. */
  private heard: Frame[][] = [];

  constructor(private readonly signal: AbortSignal) {}

  hear(batch: Frame[]): void {
    if (this.catching) {
      this.heard = [...this.heard.slice(1 - mostHeard), batch];
      return;
    }
    const known = newer(batch, cursor);
    if (known === null) void this.catchUp();
    else take(known);
  }

  /** Asks the node for what is missing. */
  async catchUp(): Promise<void> {
    if (this.catching || this.signal.aborted) return;
    this.catching = true;
    try {
      if (cursor.boot === "") await begin();
      for (let left = mostPages; left > 0 && !this.signal.aborted; left--) {
        const page = await get<EventPage>("/api/events", { ...cursor, limit: pageSize }, this.signal);
        if (page.dropped) void refresh();
        cursor = { boot: page.boot_id, since: page.next };
        spread(page.events);
        if (page.events.length < pageSize) break;
      }
    } catch (cause) {
      // The next batch has it tried again.
      if (!this.signal.aborted && !(cause instanceof Unreachable) && !(cause instanceof CallError)) throw cause;
    } finally {
      this.catching = false;
    }
    for (const batch of this.heard.splice(0)) {
      const known = newer(batch, cursor);
      if (known) take(known); // else the next one that is heard shows the gap again
    }
  }
}

function take(batch: Frame[]): void {
  const fresh: Event[] = [];
  for (const frame of batch) {
    const at = cursorOf(frame);
    if (at !== null) {
      if (cursor.boot !== "" && at.boot !== cursor.boot) void refresh();
      cursor = at;
    }
    if (frame.event === "reset") void refresh();
    else if (frame.data !== "") fresh.push(JSON.parse(frame.data) as Event);
  }
  spread(fresh);
}

function spread(fresh: Event[]): void {
  if (fresh.length === 0) return;
  events.value = events.value.concat(fresh).slice(-kept);
  if (fresh.some((e) => e.code === "stopping" && Date.parse(e.time) >= Date.parse(status.value?.started ?? ""))) stopped.value = true;
  for (const listener of listeners) listener(fresh);
}

let running: AbortController | null = null;

function begins(): void {
  if (running !== null) return;
  running = new AbortController();
  void poll(running.signal);
  void follow(running.signal);
}

function ends(): void {
  running?.abort();
  running = null;
}

const visible = signal(document.visibilityState === "visible");
addEventListener("visibilitychange", () => {
  visible.value = document.visibilityState === "visible";
});

/** Starts to follow the node, for as long as the page is visible and its session is open. */
export function live(): void {
  effect(() => {
    if (visible.value && session.value !== "none" && !erased.value) begins();
    else ends();
  });
  let first = true;
  effect(() => {
    void lang.value; // sentences come in the language of the page
    if (!first) void refresh();
    first = false;
  });
}
