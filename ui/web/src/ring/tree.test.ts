import { describe, expect, it } from "vitest";
import type { Event } from "../types";
import { mostPages, siteOf, stay, treeOf, type Branch } from "./tree";

const page = (url: string, id = 1, domain = "a.example"): Event => ({
  id, time: "", kind: "page", code: "fetched", domain, url, status: 200, bytes: 0, title: `T${id}`, text: "", at: 0.1, peer: "", count: 0, took_ms: 0,
});

const shape = (b: Branch): unknown => ({ [b.name + (b.page ? "*" : "")]: b.children.map(shape) });

describe("the tree of a site", () => {
  it("hangs pages where their addresses say", () => {
    const got = treeOf(
      [page("https://a.example/"), page("https://www.a.example/blog/two"), page("https://a.example/blog/one"), page("https://b.example/x", 9, "b.example"), page("https://shop.a.example/?q=a%20b")],
      "a.example",
    );
    expect(shape(got)).toEqual({
      "a.example*": [{ blog: [{ "one*": [] }, { "two*": [] }] }, { "shop.a.example": [{ "?q=a b*": [] }] }],
    });
  });

  it("shows the latest of several visits", () => {
    const got = treeOf([page("https://a.example/x", 1), page("https://a.example/x", 2)], "a.example");
    expect(got.children[0]!.page!.id).toBe(2);
  });

  it("is bounded in pages and depth", () => {
    const many = Array.from({ length: 1000 }, (_, i) => page(`https://a.example/p${i}`, i));
    expect(treeOf(many, "a.example").children).toHaveLength(mostPages);
    let b = treeOf([page("https://a.example/1/2/3/4/5/6/7/8")], "a.example");
    let depth = 0;
    for (; b.children[0]; b = b.children[0]) depth++;
    expect(depth).toBe(5);
    expect(b.name).toBe("5/6/7/8");
  });

  it("survives addresses that are none", () => {
    expect(treeOf([page("no address"), page("https://a.example/%zz")], "a.example").children.map((c) => c.name)).toEqual(["%zz"]);
  });
});

describe("the site that is shown", () => {
  const list = [page("https://a.example/"), page("https://b.example/", 2, "b.example")];

  it("is that of the latest page", () => {
    expect(siteOf(list, { domain: "", since: 0 }, 100)).toEqual({ domain: "b.example", since: 100 });
  });

  it("stays for a while", () => {
    const shown = { domain: "a.example", since: 100 };
    expect(siteOf(list, shown, 100 + stay - 1)).toBe(shown);
    expect(siteOf(list, shown, 100 + stay).domain).toBe("b.example");
  });

  it("stays where nothing is known", () => {
    expect(siteOf([], { domain: "", since: 0 }, 1)).toEqual({ domain: "", since: 0 });
  });
});
