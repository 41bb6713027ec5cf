// Who can reach this node, in the user's language: the node says it in English sentences.

const said: [RegExp, string][] = [
  [/^The other computers of this test network can reach this one at (.+)\.$/, "lab"],
  [/^Other computers can reach this one directly at (.+), through a port that your router opened\.$/, "mapped"],
  [/^Other computers can reach this one directly at (.+)\.$/, "direct"],
  [/^Other computers can reach this one with the help of a relay only\.$/, "relay"],
  [/^This computer can be reached on your own network only;/, "lan"],
  [/^Computers on your own network can reach this one;/, "lan-so-far"],
  [/^Nobody can open a connection to this computer;/, "none"],
  [/^Whether other computers can reach this one is not known yet\.$/, "unknown"],
];

/** The key of a sentence and the addresses it names, null if it is a new one. */
export function reachKey(sentence: string): { key: string; at: string } | null {
  for (const [pattern, key] of said) {
    const match = pattern.exec(sentence);
    if (match) return { key, at: match[1] ?? "" };
  }
  return null;
}

/** A word of the node as the end of a key: "owns and fetches" is owns-and-fetches. */
export const slug = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]+/g, "-");
