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

function sizeParts(text: string): Amount {
  const [, number = "", unit] = /^\s*(.*?)(?:(?<=^|[\s\d.,])([kmgt]?i?b))?\s*$/is.exec(text) ?? [];
  const known = [...sizeUnits, "B", "KiB", "MiB", "GiB", "TiB"].find((u) => u.toLowerCase() === unit?.toLowerCase());
  return { number: number.trim(), unit: known ?? "" };
}

/** Takes the text of a size apart. What is no number stays one part, for the node to say so. */
export function splitSize(text: string): Amount {
  const { number, unit } = sizeParts(text);
  return { number, unit: unit || (Number(number) > 0 ? "B" : "GB") };
}

/** Takes a length of time apart; one of several units is told in the smallest of them. */
export function splitTime(text: string): Amount {
  const items = [...text.matchAll(/(\d+)\s*(min|[smhd])(?![a-z])/gi)];
  const rest = text.replace(/(\d+)\s*(min|[smhd])(?![a-z])/gi, "").trim();
  if (items.length === 0 || rest !== "") {
    const [, number = "", unit] = /^\s*(.*?)(?:(?<=^|\s)(s|min|h|d))?\s*$/is.exec(text) ?? [];
    return { number: number.trim(), unit: unit ?? "s" };
  }
  const unit = items.at(-1)![2]!.toLowerCase().replace(/^m$/, "min");
  const total = items.reduce((sum, [, n, u]) => sum + Number(n) * seconds[u!.toLowerCase()]!, 0);
  return { number: String(total / seconds[unit]!), unit };
}

/** The bytes of a size as the settings file has it; NaN if it is none. */
export function sizeBytes(text: string): number {
  const { number, unit } = sizeParts(text);
  return number === "" ? NaN : Number(number) * (sizes[unit.toLowerCase()] ?? 1);
}

export const join = ({ number, unit }: Amount): string => `${number.trim()} ${unit}`.trim();
