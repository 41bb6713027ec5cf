import { useLayoutEffect, useState } from "preact/hooks";
import { t } from "../i18n";
import { events, onEvents } from "../live";
import { href } from "../router";
import { siteOf, treeOf, type Branch } from "./tree";

const every = 1000;

/** The site that is visited now, with its latest pages. */
export function PageTree() {
  const [shown, setShown] = useState(() => siteOf(events.value, { domain: "", since: 0 }, Date.now()));
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    let timer = 0;
    const end = onEvents(() => {
      if (timer !== 0) return;
      timer = window.setTimeout(() => {
        timer = 0;
        setShown((before) => siteOf(events.value, before, Date.now()));
        redraw((n) => n + 1);
      }, every);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  if (shown.domain === "") return <p class="ring-blank empty">{t("ring.tree.none")}</p>;
  const tree = treeOf(events.value, shown.domain);
  return (
    <div class="ring-tree" role="group" tabIndex={0} aria-label={t("ring.tree.label", { domain: shown.domain })}>
      <p class="tree-site">
        <strong>{shown.domain}</strong>
        {tree.page && <Title branch={tree} />}
      </p>
      <Children of={tree} />
    </div>
  );
}

function Children({ of }: { of: Branch }) {
  if (of.children.length === 0) return null;
  return (
    <ul>
      {of.children.map((b) => (
        <li key={b.name}>
          <span class={b.page ? "twig page" : "twig"} key={b.page?.id}>
            {b.page ? <Title branch={b} /> : <span class="path">{b.name}</span>}
          </span>
          <Children of={b} />
        </li>
      ))}
    </ul>
  );
}

function Title({ branch: b }: { branch: Branch }) {
  const e = b.page!;
  return (
    <a href={href("mine", { url: e.url })} title={e.url}>
      <bdi>{e.title || b.name}</bdi>
    </a>
  );
}
