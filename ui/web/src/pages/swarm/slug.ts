/** A word of the node as the end of a key: "owns and fetches" is owns-and-fetches. */
export const slug = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]+/g, "-");
