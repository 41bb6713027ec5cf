import { describe, expect, it } from "vitest";
import type { Found, InLink, SearchPage } from "../../types";
import { bySite, hostOf, joined, languageName, nameOf, ofSite, primary } from "./found";

describe("the query for one site", () => {
  it.each([
    ["bread", "bread site:a.example"],
    ["  winter   garden ", "winter garden site:a.example"],
    ["bread site:b.example -shop", "bread -shop site:a.example"],
    ["", "site:a.example"],
  ])("of %j is %j", (query, want) => {
    expect(ofSite(query, "a.example")).toBe(want);
  });
});

const found = (id: string): Found => ({ id, url: `http://a.example/${id}`, time: "", title: "", domain: "", language: "", snippet: [], copies: 0, moreOfSite: 0, links: 0 });
const page = (ids: string[], next: string): SearchPage => ({ results: ids.map(found), next, total: 9, more: false, some: false, pages: 9, waiting: 0, full: false, off: false });

it("joins what comes next, and keeps each page once", () => {
  const all = joined(page(["1", "2"], "n"), page(["2", "3"], ""));
  expect(all.results.map((f) => f.id)).toEqual(["1", "2", "3"]);
  expect(all.next).toBe("");
});

const link = (site: string, from: string): InLink => ({ from, site, title: "", text: "", to: "", first: "", last: "", pages: 1, id: from });

it("groups links by site, in the order of the list", () => {
  const sites = bySite([link("b", "1"), link("a", "2"), link("b", "3"), link("__proto__", "4")]);
  expect(sites.map((s) => [s.site, s.links.map((l) => l.from).join()])).toEqual([
    ["b", "1,3"],
    ["a", "2"],
    ["__proto__", "4"],
  ]);
});

it("takes the languages of a browser without their regions", () => {
  expect(primary(["de-AT", "de", "en-US", "x-klingon", "zh-Hant-TW", "*"])).toEqual(["de", "en", "zh"]);
});

it("names languages, and no nonsense", () => {
  expect(languageName("de", "en")).toBe("German");
  expect(languageName("en", "de")).toBe("Englisch");
  for (const tag of ["", "x", "<b>", "qqq", "en-"]) expect(languageName(tag, "en")).toBe("");
});

it("knows the host of an address and of a domain", () => {
  expect(["https://a.example/x", "a.example", "a.example/x", "http://"].map(hostOf)).toEqual(["a.example", "a.example", "a.example", "http://"]);
});

it("names a page by its title, or else by its address", () => {
  expect(nameOf({ title: "A", url: "u" })).toBe("A");
  expect(nameOf({ title: "", url: "u" })).toBe("u");
});
