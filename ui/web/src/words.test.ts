import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const src = import.meta.dirname;
const words = join(src, "../../../assets/words");

function catalogue(lang: string): Set<string> {
  const files = readdirSync(join(words, lang)).filter((name) => name.startsWith("web-"));
  return new Set(files.flatMap((name) => Object.keys(JSON.parse(readFileSync(join(words, lang, name), "utf8")) as object)));
}

/** The keys that stand as such in calls of t. */
function used(): Set<string> {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name) && !name.includes(".test."));
  const keys = files.flatMap((name) => [...readFileSync(join(src, name), "utf8").matchAll(/\bt\("([\w.]+)"/g)].map((m) => m[1]!));
  return new Set(keys);
}

test.each(["en", "de"])("every text that is asked for exists in %s", (lang) => {
  const known = catalogue(lang);
  const missing = [...used()].filter((key) => !known.has(key) && !(known.has(`${key}.one`) && known.has(`${key}.other`)));
  expect(missing).toEqual([]);
});
