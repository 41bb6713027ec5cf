// Amounts as the settings file has them: a number and its unit.

export interface Amount {
  number: string;
  unit: string;
}

export const sizeUnits = ["kB", "MB", "GB", "TB"];
export const timeUnits = ["s", "min", "h", "d"];

const seconds: Record<string, number> = { s: 1, m: 60, min: 60, h: 3600, d: 86400 };
const sizes: Record<string, number> = { b: 1 };
for (const [i, c] of [..."kmgt"].entries()) {
  sizes[`${c}b`] = 1000 ** (i + 1);
  sizes[`${c}ib`] = 1024 ** (i + 1);
}

/** Takes the text of a size apart. What is no size stays whole, for the node to say so. */
export function splitSize(text: string): Amount {
  const match = /^\s*([^a-z]*?)\s*([kmgt]?i?b)?\s*$/i.exec(text);
  if (!match) return { number: text, unit: "" };
  const unit = [...sizeUnits, "B", "KiB", "MiB", "GiB", "TiB"].find((u) => u.toLowerCase() === match[2]?.toLowerCase());
  return { number: match[1]!, unit: unit ?? (Number(match[1]) > 0 ? "B" : "GB") };
}

/** Takes a length of time apart; one of several units is told in the smallest of them. */
export function splitTime(text: string): Amount {
  const items = [...text.matchAll(/(\d+)\s*(min|[smhd])(?![a-z])/gi)];
  const rest = text.replace(/(\d+)\s*(min|[smhd])(?![a-z])/gi, "").trim();
  if (items.length === 0 || rest !== "") {
    const match = /^\s*(\S*)\s*(s|min|h|d)\s*$/.exec(text);
    return match ? { number: match[1]!, unit: match[2]! } : { number: text.trim(), unit: "s" };
  }
  const unit = items.at(-1)![2]!.toLowerCase().replace(/^m$/, "min");
  const total = items.reduce((sum, [, n, u]) => sum + Number(n) * seconds[u!.toLowerCase()]!, 0);
  return { number: String(total / seconds[unit]!), unit };
}

/** The bytes of a size as the settings file has it; NaN if it is none. */
export function sizeBytes(text: string): number {
  const { number, unit } = splitSize(text);
  return number === "" ? NaN : Number(number) * (sizes[unit.toLowerCase()] ?? 1);
}

export const join = ({ number, unit }: Amount): string => `${number.trim()} ${unit}`.trim();
