// Serves a file as a web server does that knows byte ranges.
import fs from "node:fs";
import http from "node:http";

export async function serve(file) {
  const size = fs.statSync(file).size;
  const server = http.createServer((req, res) => {
    const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(req.headers.range ?? "") ?? [];
    let from = 0, to = size - 1;
    if (first) [from, to] = [Number(first), last ? Math.min(to, Number(last)) : to];
    else if (last) from = Math.max(0, size - Number(last));
    const head = { "Accept-Ranges": "bytes", "Content-Length": to - from + 1 };
    if (first || last) head["Content-Range"] = `bytes ${from}-${to}/${size}`;
    res.writeHead(first || last ? 206 : 200, head);
    if (req.method === "HEAD" || from > to) res.end();
    else fs.createReadStream(file, { start: from, end: to }).pipe(res);
  });
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
  return {
    url: `http://127.0.0.1:${server.address().port}/${file.split("/").pop()}`,
    close() { server.closeAllConnections(); server.close(); },
  };
}
