import { expect, it } from "vitest";
import { reachKey, slug } from "./reach";

it.each([
  ["The other computers of this test network can reach this one at 127.0.0.1:4001.", "lab", "127.0.0.1:4001"],
  ["Other computers can reach this one directly at 192.0.2.7:4001, through a port that your router opened.", "mapped", "192.0.2.7:4001"],
  ["Other computers can reach this one directly at 192.0.2.7:4001, [2001:db8::1]:4001.", "direct", "192.0.2.7:4001, [2001:db8::1]:4001"],
  ["Other computers can reach this one with the help of a relay only.", "relay", ""],
  ["This computer can be reached on your own network only; beyond it, it works over connections it opens itself.", "lan", ""],
  ["Computers on your own network can reach this one; whether others can is not known yet.", "lan-so-far", ""],
  ["Nobody can open a connection to this computer; it works over connections it opens itself.", "none", ""],
  ["Whether other computers can reach this one is not known yet.", "unknown", ""],
])("%s", (sentence, key, at) => {
  expect(reachKey(sentence)).toEqual({ key, at });
});

it("leaves a sentence that it does not know as it is", () => {
  expect(reachKey("Something new.")).toBeNull();
});

it("makes keys of words", () => {
  expect(slug("owns and fetches")).toBe("owns-and-fetches");
  expect(slug("none now")).toBe("none-now");
});
