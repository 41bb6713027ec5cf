import { describe, expect, it } from "vitest";
import { oneTimeLink } from "./api";

describe("the fragment of an address", () => {
  it("lets in by a one-time link", () => {
    expect(oneTimeLink("#key=0a1b")).toEqual({ key: "0a1b", to: "" });
    expect(oneTimeLink("#key=0a1b&to=settings%3Fkey%3Didle.after")).toEqual({ key: "0a1b", to: "settings?key=idle.after" });
  });

  it("is no such link where it names a page, whatever that is about", () => {
    for (const hash of ["", "#", "#/", "#/now", "#/settings?key=idle.after", "#/settings?view=all&key=idle.after", "#/mine?q=a&key=b"])
      expect(oneTimeLink(hash)).toBeUndefined();
  });
});
