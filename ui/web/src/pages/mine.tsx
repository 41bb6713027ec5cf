import "../style/mine.css";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { t } from "../i18n";
import { route } from "../router";
import { Contribution } from "./mine/contribution";
import { Domains } from "./mine/domains";
import { Keep } from "./mine/keep";
import { Links } from "./mine/links";
import { Reader } from "./mine/reader";
import { Search } from "./mine/search";
import { Site } from "./mine/site";

export function Mine() {
  const { params } = route.value;
  const url = params.get("url");
  const id = params.get("id");
  const site = params.get("site");
  const links = params.get("links");
  useLayoutEffect(() => {
    if (id || url) scrollTo(0, 0); // whoever comes from far down a list begins at the top of a page
  }, [id, url]);
  if (id || url) return <Reader id={id} url={url} />;
  if (site) return <Site domain={site} />;
  if (links !== null) return <Links target={links} />;
  return <Overview query={params.get("q") ?? ""} />;
}

/** The search and, while nothing is searched for, all else. */
function Overview({ query }: { query: string }) {
  const [words, setWords] = useState(query);
  const [there, setThere] = useState(0); // parts that are; those below them follow, so that nothing is moved
  useEffect(() => setWords(query), [query]);
  return (
    <>
      <h1>{t("nav.mine")}</h1>
      <div class="grid">
        <Search words={words} setWords={setWords} />
        {words.trim() === "" && (
          <>
            <Contribution onReady={() => setThere((n) => Math.max(n, 1))} />
            {there > 0 && <Domains onReady={() => setThere(2)} />}
            {there > 1 && <Keep />}
          </>
        )}
      </div>
    </>
  );
}
