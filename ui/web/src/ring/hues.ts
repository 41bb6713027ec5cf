// The colours of languages: those of assets/hues, which says how they are chosen and who has which.

import hues from "../../../../assets/hues/hues.json";

/** The colours for light grounds and for dark ones. */
export const light: readonly string[] = hues.light;
export const dark: readonly string[] = hues.dark;

/** Puts languages together that have one colour, each group where its first language stood. */
export function shared(codes: readonly string[]): string[][] {
  const groups = new Map<number, string[]>();
  for (const code of codes) groups.set(hueOf(code), [...(groups.get(hueOf(code)) ?? []), code]);
  return [...groups.values()];
}

/** Which of the colours a language has, by its ISO 639 code; -1 for "" and for what is none. */
export function hueOf(code: string): number {
  if (code.length !== 2 && code.length !== 3) return -1;
  let at = hues.languages.indexOf(code);
  if (at === 0) return 0;
  if (at < 0) at = [...code].reduce((sum, letter) => sum + letter.charCodeAt(0), 1);
  return 1 + ((at - 1) % (light.length - 1));
}
