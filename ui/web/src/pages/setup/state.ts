import { signal } from "@preact/signals";

/** Whether the first steps are on the screen although consent is given by now: the first page is still to come. */
export const settingUp = signal(false);

/** How far the first steps are, and what was chosen. */
export interface Progress {
  step: number;
  mine: boolean;
  choice: string | null;
  alone: boolean;
  startup: boolean;
}

export const begin: Progress = { step: 1, mine: false, choice: null, alone: false, startup: false };

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
