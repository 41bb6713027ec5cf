// What the checks need to know of a record that warcio has parsed.
export function describe(record) {
  const header = (name) => record.warcHeader(name) ?? "";
  const http = (name) => record.httpHeaders?.headers.get(name) ?? "";
  return {
    type: record.warcType,
    url: record.warcTargetURI,
    date: record.warcDate,
    digest: header("WARC-Payload-Digest"),
    profile: header("WARC-Profile").split("/").pop(),
    refersTo: header("WARC-Refers-To-Target-URI"),
    refersDate: header("WARC-Refers-To-Date"),
    truncated: header("WARC-Truncated"),
    status: Number(record.httpHeaders?.statusCode ?? 0),
    mime: http("content-type").split(";")[0].trim().toLowerCase(),
    encoding: http("content-encoding"),
    transfer: http("transfer-encoding"),
  };
}

// kinds are the kinds of records that must be among those that are checked.
export const kinds = [
  "response", "identical-payload-digest", "server-not-modified", "chunked", "gzip", "br", "truncated for length",
];

// count counts a response or revisit under each of its kinds.
export function count(report, r) {
  report.seen(r.type === "revisit" ? r.profile : r.type);
  if (r.type !== "response") return;
  for (const kind of [r.encoding, r.transfer, r.truncated && `truncated for ${r.truncated}`]) if (kind) report.seen(kind);
}
