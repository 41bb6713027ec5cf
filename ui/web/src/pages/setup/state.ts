import { signal } from "@preact/signals";
import type { SetupQuestion } from "../../types";

/** Whether the first steps are on the screen although consent is given by now: the first page is still to come. */
export const settingUp = signal(false);

/** What was ticked, by the keys of questions. */
export type Answers = Record<string, string[]>;

/** How far the first steps are, and what was chosen. */
export interface Progress {
  step: number;
  mine: boolean;
  choice: string | null;
  answers: Answers;
  startup: boolean;
}

export const begin: Progress = { step: 1, mine: false, choice: null, answers: {}, startup: false };

const key = "forage.setup";

/** Keeps the progress over a reload of this tab. */
export function keep(is: Progress): Progress {
  sessionStorage.setItem(key, JSON.stringify(is));
  return is;
}

/** The progress that was kept. */
export function progress(): Progress {
  try {
    return { ...begin, ...(JSON.parse(sessionStorage.getItem(key) ?? "{}") as Partial<Progress>) };
  } catch {
    return begin;
  }
}

/** What the node is told: of what was not answered nothing. */
export function settingsOf(questions: readonly SetupQuestion[], answers: Answers): Record<string, string | string[]> {
  const settings: Record<string, string | string[]> = {};
  for (const { key, many } of questions) {
    const list = answers[key];
    if (list && (many || list.length > 0)) settings[key] = many ? list : list[0]!;
  }
  return settings;
}
