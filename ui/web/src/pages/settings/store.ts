// All settings as the node told them last. What is shown comes from here, never from what was typed.

import { signal } from "@preact/signals";
import { CallError, get, post } from "../../api";
import { lang, t } from "../../i18n";
import { refresh } from "../../live";
import { attempt, say, trouble } from "../../parts/toast";
import type { Setting, Settings, SettingsChanged } from "../../types";

export const settings = signal<Settings | null>(null);
/** Why the settings cannot be shown, "" if they can. */
export const fault = signal("");

/** What is wrong with a value, in the words of the node. */
export interface Problem {
  text: string;
  range: string;
}

/** A value as the file has it, the items of a list, or the levels of a week. */
export type Value = string | string[] | number[][];

let asked = 0;

/** Asks for all settings. An answer that was overtaken by another counts no more. */
export async function load(signal?: AbortSignal): Promise<void> {
  const turn = ++asked;
  try {
    const all = await get<Settings>("/api/settings", { lang: lang.value }, signal);
    if (turn !== asked) return;
    settings.value = all;
    fault.value = "";
  } catch (cause) {
    if (!signal?.aborted && turn === asked) fault.value = trouble(cause);
  }
}

export const find = (key: string): Setting | undefined => settings.value?.settings.find((s) => s.key === key);

/** Has the node check a value without keeping it. */
export async function check(key: string, value: Value): Promise<Problem | null> {
  try {
    await post("/api/settings", { set: { [key]: value }, dry_run: true, lang: lang.value });
    return null;
  } catch (cause) {
    return problemOf(cause);
  }
}

function problemOf(cause: unknown): Problem {
  const answer = cause instanceof CallError ? cause.answer : {};
  return { text: named(trouble(cause)), range: typeof answer.range === "string" ? answer.range : "" };
}

/** A text in which settings are called as people see them, not by their keys. */
function named(text: string): string {
  return text.replace(/[a-z_]+(?:\.[a-z_]+)+/g, (key) => find(key)?.name ?? key);
}

/** Changes come one after the other, so that the last that was made is the one that stays. */
let queue: Promise<unknown> = Promise.resolve();

/**
 * Changes settings, all of them or none, and offers to undo it. What is wrong is returned and not said: it belongs at
 * the field.
 */
export function save(set: Record<string, Value>, reset: string[] = []): Promise<Problem | null> {
  const turn = queue.then(() => saveNow(set, reset));
  queue = turn;
  return turn;
}

async function saveNow(set: Record<string, Value>, reset: string[]): Promise<Problem | null> {
  const before = [...Object.keys(set), ...reset].map(find).filter((s) => s !== undefined);
  let done: SettingsChanged;
  try {
    done = await post<SettingsChanged>("/api/settings", { set, reset, lang: lang.value });
  } catch (cause) {
    return problemOf(cause);
  }
  await load();
  void refresh();
  if (done.fault) say(done.fault, true);
  else if (done.changed.length > 0) sayDone(done, before);
  return null;
}

function sayDone(done: SettingsChanged, before: Setting[]): void {
  const [key] = done.changed;
  const { name } = find(key!) ?? before[0]!;
  let text = done.changed.length === 1 ? t("set.saved", { name }) : t("set.saved.several", { n: done.changed.length });
  if (done.restart.length > 0) text += ` ${t("set.saved.restart")}`;
  say(text, false, { text: t("set.undo"), run: () => void undo(before.filter((s) => done.changed.includes(s.key))) });
}

/** Gives settings the values that they had. */
async function undo(before: Setting[]): Promise<void> {
  const set: Record<string, Value> = {};
  for (const s of before) if (s.set) set[s.key] = valueOf(s);
  const body = { set, reset: before.filter((s) => !s.set).map((s) => s.key), lang: lang.value };
  if (await attempt(() => post<SettingsChanged>("/api/settings", body))) say(t("set.undone"));
  await load();
  void refresh();
}

/** The value of a setting as it is sent. */
export const valueOf = (s: Setting): Value => (Array.isArray(s.value) ? (s.value as string[]) : s.text);
