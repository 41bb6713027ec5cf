// The way to the node: every call carries the proof of this browser's session.

import { signal } from "@preact/signals";
import { lang } from "./i18n";

const proofKey = "forage.proof";

/** Whether the node knows this browser: "unknown" until the first answer. */
export const session = signal<"unknown" | "open" | "none">("unknown");

export class CallError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly answer: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** Thrown when nobody answers at all. */
export class Unreachable extends Error {}

function proof(): string {
  return localStorage.getItem(proofKey) ?? "";
}

/** What every call carries; the node answers, and says what is wrong, in the language of the page. */
function headers(more: Record<string, string> = {}): Record<string, string> {
  return { "X-Forage-Proof": proof(), "Accept-Language": lang.value, ...more };
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", redirect: "error", ...init });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new Unreachable(path, { cause });
  }
  if (answer.ok) {
    // What opens a session is not the session yet: its proof is still to be kept.
    if (path !== "/api/session") session.value = "open";
    return answer;
  }
  let said: Record<string, unknown> = {};
  try {
    said = (await answer.json()) as Record<string, unknown>;
  } catch {
    // The status says enough.
  }
  if (answer.status === 401 && path !== "/api/session") session.value = "none";
  throw new CallError(answer.status, typeof said.error === "string" ? said.error : `${answer.status}`, said);
}

export async function get<T>(path: string, params: Record<string, string | number | undefined> = {}, signal?: AbortSignal): Promise<T> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (value !== undefined && value !== "") query.set(key, String(value));
  }
  const text = query.toString();
  const answer = await send(text ? `${path}?${text}` : path, { headers: headers(), signal: signal ?? null });
  return (await answer.json()) as T;
}

export async function getText(path: string): Promise<string> {
  return (await send(path, { headers: headers() })).text();
}

export async function post<T = void>(path: string, body: unknown = {}): Promise<T> {
  const answer = await send(path, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

/** Opens the stream of events after a place in them. */
export async function stream(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const answer = await send(path, { headers: headers({ Accept: "text/event-stream" }), signal });
  if (!answer.body) throw new Unreachable(path);
  return answer.body;
}

/** Opens a session with the key of a one-time link or with the password. */
export async function open(secret: { key: string } | { password: string }): Promise<void> {
  const { proof } = await post<{ proof: string }>("/api/session", secret);
  localStorage.setItem(proofKey, proof);
  session.value = "open";
}

/** Ends the sessions of all browsers, this one too. */
export async function signOutEverywhere(): Promise<void> {
  await post("/api/session/end", { everywhere: true });
  localStorage.removeItem(proofKey);
  session.value = "none";
}

/** Reads the fragment of a one-time link: #key=…&to=…. That of a page begins with a slash, and may have a key of its own. */
export function oneTimeLink(hash: string): { key: string; to: string } | undefined {
  if (hash.startsWith("#/")) return undefined;
  const params = new URLSearchParams(hash.slice(1));
  const key = params.get("key");
  return key === null ? undefined : { key, to: params.get("to") ?? "" };
}

/** Takes the key out of the address, so that it stays in no history, and uses it. turn leads to the page that it names. */
export async function openFromAddress(turn: (to: string) => void): Promise<void> {
  const link = oneTimeLink(location.hash);
  if (!link) return;
  turn(link.to);
  try {
    await open({ key: link.key });
  } catch (cause) {
    // An old link in a browser that is known already does no harm.
    if (!(cause instanceof CallError)) throw cause;
  }
}

/** Fetches a file that the node makes, and hands it to the browser. */
export async function download(body: unknown): Promise<void> {
  const { url } = await post<{ url: string }>("/api/export", body);
  const a = document.createElement("a");
  a.href = url;
  a.download = "";
  a.click();
}
