// What settings that go together come to, in figures. The figures are theirs: none is made up.

import { sizeBytes } from "../settings/amount";

export interface Most {
  /** In percent of the processor, kbit/s and bytes; -1 is no limit, null is not known. */
  cpu: number | null;
  down: number | null;
  up: number | null;
  day: number | null;
  month: number | null;
  disk: number | null;
}

/** The most that is used with settings. The budget that counts is that of the highest level that they reach. */
export function mostOf(settings: Record<string, string>): Most {
  const full = settings["level.away"] === "full" || settings["level.in_use"] === "full";
  const budget = (name: string) => whole(settings[`budget.${full ? "full" : "gentle"}.${name}`]);
  return {
    cpu: budget("cpu_percent"),
    down: budget("down_kbit"),
    up: budget("up_kbit"),
    day: size(settings["data.day"]),
    month: size(settings["data.month"]),
    disk: size(settings["disk.max"]),
  };
}

function whole(text: string | undefined): number | null {
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : null;
}

function size(text: string | undefined): number | null {
  if (text === undefined) return null;
  const n = sizeBytes(text);
  return Number.isFinite(n) ? n : null;
}
