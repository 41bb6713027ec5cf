// Finds settings by words, wherever these stand in what is said of them.

/** Without case and accents, as people type. */
export const plain = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss");

export interface Searched {
  key: string;
  name: string;
  meaning: string;
  why: string;
}

/** Those settings in which all words stand, in their order. */
export function search<T extends Searched>(list: readonly T[], query: string): T[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  return list.filter((s) => {
    const text = plain([s.name, s.key, s.meaning, s.why].join("\n"));
    return words.every((word) => text.includes(word));
  });
}
