import { beforeAll, describe, expect, it, vi } from "vitest";

let router: typeof import("./router");

beforeAll(async () => {
  vi.stubGlobal("location", { hash: "" });
  vi.stubGlobal("addEventListener", () => {});
  router = await import("./router");
});

describe("routes", () => {
  it("are read from the fragment", () => {
    expect(router.parse("#/mine?q=two%20words").page).toBe("mine");
    expect(router.parse("#/mine?q=two%20words").params.get("q")).toBe("two words");
  });
  it("lead to the first page when they lead nowhere", () => {
    for (const hash of ["", "#", "#/nothing", "#now", "#/__proto__", "#/now/x"]) expect(router.parse(hash).page).toBe("now");
  });
  it("are turned to without a trace of the address before", () => {
    const seen: string[] = [];
    vi.stubGlobal("location", { pathname: "/", hash: "#key=secret" });
    vi.stubGlobal("history", { replaceState: (_state: null, _title: string, to: string) => seen.push(to) });
    for (const to of ["mine?q=bread", "//elsewhere.test/", "", "javascript:alert(1)"]) router.turn(to);
    expect(seen).toEqual(["/#/mine?q=bread", "/#/now", "/#/now", "/#/now"]);
    expect(router.route.value.page).toBe("now");
  });
  it("come back as they went", () => {
    const back = router.parse(router.href("log", { domain: "a&b=c#d" }));
    expect([back.page, back.params.get("domain")]).toEqual(["log", "a&b=c#d"]);
  });
});
