// Opens WACZ packages with what ReplayWeb.page reads them with, over HTTP
// ranges, and checks them: hashes, index, pages, and that every capture and
// every revisit comes out with its payload.
import "fake-indexeddb/auto";
import { Readable } from "node:stream";
import zlib from "node:zlib";
import { AsyncIterReader, getSurt, WARCParser } from "warcio";
import { sha1, sha256 } from "./digest.mjs";
import { serve } from "./range.mjs";
import { count, describe, kinds } from "./record.mjs";
import { Report } from "./report.mjs";

globalThis.self = globalThis;
globalThis.caches ??= { open: async () => ({}), delete: async () => true };
console.warn = (...what) => report.fault("the reader warns:", ...what);
const print = console.log;
console.log = (...what) => { // the reader says here what it does not find
  if (/^(No WARC|Wrong|JSON Parser|Invalid|Unknown|Error)/.test(what[0])) report.fault(...what);
  else if (!/^(Loading|Read|Not cacheing)/.test(what[0])) print(...what);
};
const { ArchiveRequest, createLoader, WorkerLoader, ZipRangeReader } = await import("@webrecorder/wabac/swlib");

const report = new Report();
const stamp = (date) => new Date(date).toISOString().replace(/[-:TZ.]/g, "");
const place = (file, offset) => file + " " + offset;

// readAll returns a file of the package as it is when unpacked.
async function readAll(zip, name) {
  const { reader } = await zip.loadFile(name);
  return Buffer.from((await reader.readFully()) ?? []);
}

// checkManifest compares the package with what it says of itself.
async function checkManifest(zip) {
  const raw = await readAll(zip, "datapackage.json");
  const manifest = JSON.parse(raw);
  const stated = JSON.parse(await readAll(zip, "datapackage-digest.json"));
  if (stated.path !== "datapackage.json" || stated.hash !== sha256(raw)) report.fault("hash of datapackage.json", stated);
  if (manifest.profile !== "data-package" || manifest.wacz_version !== "1.1.1") report.fault("no package of WACZ 1.1.1", manifest);
  for (const key of ["title", "created", "software"]) if (!manifest[key]) report.fault("the manifest says nothing of", key);
  const listed = new Set(["datapackage.json", "datapackage-digest.json"]);
  for (const { name, path, hash, bytes } of manifest.resources) {
    listed.add(path);
    const data = await readAll(zip, path);
    if (data.length !== bytes || sha256(data) !== hash) report.fault("size or hash of", path);
    if (!path.endsWith("/" + name) || !/^[-a-z0-9._/]+$/.test(name)) report.fault("name of", path);
    if (path.endsWith(".gz") && zip.entries[path].deflate) report.fault("compressed twice:", path);
  }
  for (const path of Object.keys(zip.entries)) if (!listed.has(path)) report.fault("not in the manifest:", path);
}

// readRecords returns the responses and revisits in the package by their place.
async function readRecords(zip) {
  const records = new Map();
  for (const path of Object.keys(zip.entries)) {
    if (!path.startsWith("archive/")) continue;
    const parser = new WARCParser(Readable.from([await readAll(zip, path)]));
    for await (const record of parser) {
      await record.skipFully();
      if (record.warcType !== "response" && record.warcType !== "revisit") continue;
      const r = describe(record);
      records.set(place(path.slice("archive/".length), parser.offset), r);
      count(report, r);
      if (record.warcHeader("Forage-Robots")) report.fault("asks to be left out", r);
    }
  }
  return records;
}

// readIndex returns the lines of the index, block by block.
async function readIndex(zip) {
  const packed = await readAll(zip, "indexes/index.cdx.gz");
  const [meta, ...list] = (await readAll(zip, "indexes/index.idx")).toString().trimEnd().split("\n");
  if (JSON.parse(meta.slice(meta.indexOf("{"))).format !== "cdxj-gzip-1.0") report.fault("format of the index", meta);
  const lines = [];
  let at = 0;
  for (const entry of list) {
    const brace = entry.indexOf(" {");
    const { offset, length, digest } = JSON.parse(entry.slice(brace));
    const block = packed.subarray(offset, offset + length);
    if (offset !== at || digest !== sha256(block)) report.fault("place or hash of a block", entry);
    at = offset + length;
    const text = zlib.gunzipSync(block).toString();
    if (!text.startsWith(entry.slice(0, brace + 1))) report.fault("first line of a block", entry);
    lines.push(...text.trimEnd().split("\n"));
  }
  if (at !== packed.length) report.fault("bytes behind the last block");
  return lines;
}

// checkIndex compares the index with the records: one line for each that has
// something to show.
function checkIndex(lines, records) {
  const left = new Map([...records].filter(([, r]) => r.status !== 304));
  lines.forEach((line, i) => {
    const [key, date] = line.split(" ", 2);
    const cdx = JSON.parse(line.slice(line.indexOf(" {")));
    const r = left.get(place(cdx.filename, cdx.offset));
    left.delete(place(cdx.filename, cdx.offset));
    if (i > 0 && Buffer.compare(Buffer.from(lines[i - 1]), Buffer.from(line)) >= 0) report.fault("order of", line);
    if (key !== getSurt(cdx.url)) report.fault("key of", line);
    if (!r || r.url !== cdx.url || date !== stamp(r.date) || r.digest !== (cdx.digest ?? "") || r.status !== Number(cdx.status)) {
      report.fault("not the record it says:", line, r);
    } else if ((cdx.mime === "warc/revisit") !== (r.type === "revisit")) report.fault("type of", line);
  });
  for (const r of left.values()) report.fault("not in the index", r);
}

// open loads a package as ReplayWeb.page does when somebody visits it.
async function open(url) {
  const loader = new WorkerLoader({ addEventListener() {} });
  const progress = (percent, error) => error && report.fault(error);
  const file = { sourceUrl: url, name: url.split("/").pop() };
  const { store } = await loader.addCollection({ name: url, file }, progress);
  return store;
}

// replay returns what a visitor sees of a URL at a date.
async function replay(store, url, date) {
  const request = new ArchiveRequest(url, new Request("http://localhost/"), { ts: stamp(date) });
  return await store.getResource(request, "", null, { noRedirect: true });
}

// payload returns the body of what replay returned without chunk framing.
async function payload(response) {
  const body = (await response.getBuffer()) ?? new Uint8Array();
  if (response.headers.get("transfer-encoding") !== "chunked") return body;
  return (await new AsyncIterReader(Readable.from([body]), null, true).readFully()) ?? new Uint8Array();
}

async function checkReplay(store, records) {
  for (const r of records.values()) {
    const response = await replay(store, r.url, r.date);
    if (!response) { report.fault("does not come out", r); continue; }
    const body = await payload(response);
    const redirect = r.status >= 300 && r.status < 400;
    if (r.status === 304 ? response.status !== 200 : response.status !== r.status) report.fault("status", response.status, r);
    if (r.digest && !(redirect && r.type === "revisit" && r.status !== 304) && sha1(body) !== r.digest) {
      report.fault("another payload:", sha1(body), body.length, "bytes of", r);
    }
    if (r.type === "response" && (response.headers.get("content-encoding") ?? "") !== r.encoding) report.fault("coding", r);
    if (r.type === "revisit" && body.length && !response.headers.get("content-type")) report.fault("no type", r);
  }
}

async function checkPages(zip, store, records) {
  const text = (await readAll(zip, "pages/pages.jsonl")).toString();
  const [header, ...pages] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  if (header.format !== "json-pages-1.0") report.fault("header of the pages", header);
  const want = new Set();
  for (const r of records.values()) {
    const html = r.mime === "text/html" || r.mime === "application/xhtml+xml";
    if (r.status === 200 && html && !r.url.endsWith("/robots.txt")) want.add(r.url + " " + stamp(r.date));
  }
  for (const p of pages) if (!want.delete(p.url + " " + stamp(p.ts))) report.fault("no page, or twice", p);
  for (const p of want) report.fault("not among the pages", p);
  if (pages.length && !pages.some((p) => p.title)) report.fault("no page has a title");
  if (new Set(pages.map((p) => p.id)).size !== pages.length) report.fault("two pages with one id");
  if ((await store.getAllPages()).length !== pages.length) report.fault("the reader does not see all", pages.length, "pages");
}

for (const file of process.argv.slice(2)) {
  const server = await serve(file);
  const zip = new ZipRangeReader(await createLoader({ url: server.url }));
  await zip.load();
  await checkManifest(zip);
  const records = await readRecords(zip);
  checkIndex(await readIndex(zip), records);
  const store = await open(server.url);
  await checkReplay(store, records);
  await checkPages(zip, store, records);
  server.close();
}
console.log = print;
report.end(...kinds);
