import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const words = (lang: string): Record<string, string> => {
  const dir = `../../assets/words/${lang}`;
  const all: Record<string, string> = {};
  for (const name of readdirSync(dir).filter((n) => n.startsWith("web-"))) {
    for (const [key, text] of Object.entries(JSON.parse(readFileSync(`${dir}/${name}`, "utf8")) as Record<string, string>)) {
      expect(all[key], `${key} is there twice`).toBeUndefined();
      all[key] = text;
    }
  }
  return all;
};

const sources = (dir: string): string =>
  readdirSync(dir, { withFileTypes: true })
    .map((e) => (e.isDirectory() ? sources(`${dir}/${e.name}`) : /\.tsx?$/.test(e.name) && !/\.test\./.test(e.name) ? readFileSync(`${dir}/${e.name}`, "utf8") : ""))
    .join("\n");

describe("the texts of the dashboard", () => {
  const code = sources("src");
  const en = words("en");

  it("are there for every key that is asked for", () => {
    for (const [, key] of code.matchAll(/\bt\("([^"]+)"/g)) {
      expect(key! in en || `${key}.other` in en, `${key} has no text`).toBe(true);
    }
  });

  it("are all used", () => {
    const begun = [...code.matchAll(/`([a-z][\w.-]*)\$\{/g)].map(([, start]) => start!);
    for (const key of Object.keys(en)) {
      const name = key.replace(/\.(one|other)$/, "");
      const group = name.slice(0, name.lastIndexOf("."));
      const used = code.includes(`"${name}"`) || code.includes(`"${group}"`) || begun.some((start) => name.startsWith(start));
      expect(used, `nothing shows ${key}`).toBe(true);
    }
  });

  it("say the same in German", () => {
    const de = words("de");
    const same = new Set(JSON.parse(readFileSync("../../assets/words/same.json", "utf8")) as string[]);
    expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
    const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    for (const [key, text] of Object.entries(en)) {
      expect(names(de[key]!), key).toEqual(names(text));
      expect(de[key] === text && !same.has(key), `${key} is not translated`).toBe(false);
    }
  });
});
