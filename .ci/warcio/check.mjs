// Reads WARC files with npm's warcio and checks every record: block digests,
// that bodies decode, and that what a revisit names is there.
import fs from "node:fs";
import { WARCParser } from "warcio";
import { sha1 } from "./digest.mjs";
import { count, describe, kinds } from "./record.mjs";
import { Report } from "./report.mjs";

const report = new Report();
const originals = new Map(); // payload digests by URL and date
const revisits = [];

async function checkBlocks(file) {
  for await (const record of new WARCParser(fs.createReadStream(file), { parseHttp: false })) {
    const found = sha1(await record.readFully(false));
    const stated = record.warcHeader("WARC-Block-Digest");
    if (stated !== found) report.fault("block digest", record.warcTargetURI, stated, found);
  }
}

async function checkBodies(file) {
  for await (const record of new WARCParser(fs.createReadStream(file))) {
    if (record.warcType !== "response" && record.warcType !== "revisit") { await record.readFully(false); continue; }
    const r = describe(record);
    count(report, r);
    const text = await record.readFully(true);
    if (r.type === "revisit") {
      revisits.push(r);
      if (text?.length) report.fault("a revisit with a body", r);
      if (!r.status || (r.status === 304) !== (r.profile === "server-not-modified")) report.fault("status of a revisit", r);
      continue;
    }
    originals.set(r.url + " " + r.date, r.digest);
    if (r.status === 200 && !text?.length) report.fault("empty body", r);
  }
}

for (const file of process.argv.slice(2)) {
  await checkBlocks(file);
  await checkBodies(file);
}
for (const r of revisits) {
  if (originals.get(r.refersTo + " " + r.refersDate) !== r.digest) report.fault("no original", r);
}
report.end(...kinds);
