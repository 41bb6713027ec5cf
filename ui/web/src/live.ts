// What the node does now: a snapshot that is asked for again and again while the page is visible, and the stream of
// what happens. Hidden pages ask for nothing.

import { effect, signal } from "@preact/signals";
import { CallError, Unreachable, get, session, stream } from "./api";
import { lang } from "./i18n";
import { frames, type Frame } from "./sse";
import type { Event, Limits, Status } from "./types";

export const status = signal<Status | null>(null);
export const limits = signal<Limits | null>(null);
/** Whether the node answers; false until it does for the first time. */
export const reachable = signal(false);
/** Since when it does not, 0 if it does or never did. */
export const lostAt = signal(0);
/** The latest events, newest last. */
export const events = signal<Event[]>([]);

/** Whether everything was erased from here: there is nothing to come back to. */
export const erased = signal(false);

const kept = 500;
const every = 2000;
/** In how many of these turns limits are asked for once: what they measure are means of ten seconds. */
const limitsEvery = 2;
const patience = [500, 1000, 2000, 4000, 8000];

type Listener = (events: Event[]) => void;
const listeners = new Set<Listener>();

/** Calls back for events as they come; the answer ends it. */
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

let cursor = { boot: "", since: "" };

async function follow(signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (cursor.boot === "") await begin();
      const body = await stream(`/api/events?${new URLSearchParams(cursor)}`, signal);
      failures = 0;
      for await (const batch of frames(body)) take(batch);
    } catch (cause) {
      if (signal.aborted) return;
      if (cause instanceof CallError && cause.status === 401) return;
    }
    await sleep(patience[Math.min(failures++, patience.length - 1)]!, signal);
  }
}

/** Begins a little before now, so that a page that was just opened is not empty. */
async function begin(): Promise<void> {
  const s = await get<Status>("/api/status", { lang: lang.value });
  cursor = { boot: s.boot_id, since: String(Math.max(0, s.seq - 100)) };
}

function take(batch: Frame[]): void {
  const fresh: Event[] = [];
  for (const frame of batch) {
    const dash = frame.id.lastIndexOf("-");
    if (dash > 0) {
      const boot = frame.id.slice(0, dash);
      if (cursor.boot !== "" && boot !== cursor.boot) void refresh();
      cursor = { boot, since: frame.id.slice(dash + 1) };
    }
    if (frame.event === "reset") void refresh();
    else if (frame.data !== "") fresh.push(JSON.parse(frame.data) as Event);
  }
  if (fresh.length === 0) return;
  events.value = events.value.concat(fresh).slice(-kept);
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
