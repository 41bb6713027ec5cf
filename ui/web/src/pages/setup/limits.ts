// What settings that go together come to. The figures are theirs: none is made up.

import { sizeBytes } from "../settings/amount";

/** The most that settings allow, in bytes; negative is no limit, null is not known. */
export interface Most {
  month: number | null;
  disk: number | null;
}

export const mostOf = (settings: Record<string, string>): Most => ({
  month: size(settings["data.month"]),
  disk: size(settings["disk.max"]),
});

function size(text: string | undefined): number | null {
  const n = sizeBytes(text ?? "");
  return Number.isFinite(n) ? n : null;
}
