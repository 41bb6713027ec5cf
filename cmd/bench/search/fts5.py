"""Answers the queries that "search -dump DIR" wrote with SQLite's FTS5, for comparison: python3 fts5.py DIR."""
import json, re, sqlite3, sys, time

directory = sys.argv[1]
db = sqlite3.connect(":memory:")
db.execute("create virtual table pages using fts5(url, title, text, tokenize = 'porter unicode61')")
for line in open(directory + "/pages.jsonl"):
    p = json.loads(line)
    db.execute("insert into pages values (?, ?, ?)", (p["url"], p["title"], p["text"]))

def ask(words, join):
    query = join.join('"' + w + '"' for w in words)
    return [r[0] for r in db.execute("select url from pages where pages match ? order by bm25(pages, 2.0, 4.0, 1.0) limit 10", (query,))]

tally = {}
begun = time.process_time()
for line in open(directory + "/queries.jsonl"):
    q = json.loads(line)
    words = re.findall(r"\w+", q["text"])[:16]
    found = ask(words, " ") or ask(words, " OR ")
    t = tally.setdefault(q["kind"], [0, 0, 0])
    t[0] += 1
    t[1] += found[:1] == [q["url"]]
    t[2] += q["url"] in found
for kind, (n, first, ten) in tally.items():
    print("%s: %d queries, first %.1f %%, among ten %.1f %%" % (kind, n, 100 * first / n, 100 * ten / n))
print("%.1f ms of processor time a query" % (1000 * (time.process_time() - begun) / max(sum(t[0] for t in tally.values()), 1)))
