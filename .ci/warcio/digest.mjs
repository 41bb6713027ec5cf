// Digests as archives state them.
import { createHash } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function base32(bytes) {
  let out = "", bits = 0, value = 0;
  for (const b of bytes) {
    value = (value << 8) | b;
    bits += 8;
    while (bits >= 5) { out += alphabet[(value >>> (bits - 5)) & 31]; bits -= 5; }
    value &= (1 << bits) - 1;
  }
  return out;
}

export const sha1 = (bytes) => "sha1:" + base32(createHash("sha1").update(bytes).digest());
export const sha256 = (bytes) => "sha256:" + createHash("sha256").update(bytes).digest("hex");
