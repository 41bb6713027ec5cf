import { expect, it } from "vitest";
import german from "../../../../assets/words/de/web-ring.json";
import english from "../../../../assets/words/en/web-ring.json";
import { peerName } from "./names";

it("a node has the same two words everywhere, beside the end of its ID", () => {
  expect(peerName("12D3KooWnear")).toBe("Clever Ibex …oWnear");
  expect(peerName("short")).toBe("short");
  for (const key of ["ring.nick.first", "ring.nick.last"] as const) expect(german[key].split(",").length).toBe(english[key].split(",").length);
});
