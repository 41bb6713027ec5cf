import { useEffect, useState } from "preact/hooks";
import { get } from "../../api";
import { lang, t } from "../../i18n";
import { Card } from "../../parts/card";
import { neverVisit, visitAgain } from "../../parts/never";
import { attempt } from "../../parts/toast";
import { href } from "../../router";

interface NeverList {
  sites: string[];
  tlds: string[];
  topics: string[];
  topic_names: string[];
  builtin: { pattern: string; reason: string }[];
  builtin_version: string;
}

const mostBuiltin = 300;

/** What is not visited: the user's own list, which can be changed here, and the one that comes with the program. */
export function NeverCard() {
  const [list, setList] = useState<NeverList>();
  const load = () => attempt(() => get<NeverList>("/api/never", { lang: lang.value })).then((got) => got && setList(got));
  useEffect(() => void load(), [lang.value]);

  if (!list)
    return (
      <Card title={t("neighbour.never")}>
        <p class="loading">{t("loading")}</p>
      </Card>
    );
  return (
    <Card title={t("neighbour.never")}>
      <p>{t("neighbour.never.text")}</p>
      <Add added={load} />
      {list.sites.length === 0 ? (
        <p class="empty">{t("neighbour.never.none")}</p>
      ) : (
        <ul class="never-list">
          {list.sites.map((pattern) => (
            <li key={pattern}>
              <span>{pattern}</span>
              <button type="button" class="link" aria-label={t("neighbour.never.undo.label", { pattern })} onClick={() => void visitAgain(pattern, load)}>
                {t("neighbour.never.undo")}
              </button>
            </li>
          ))}
        </ul>
      )}
      <Words title={t("neighbour.never.tlds")} list={list.tlds.map((x) => `.${x}`)} />
      <Words title={t("neighbour.never.topics")} list={list.topic_names} />
      <p class="fine">
        <a href={href("settings")}>{t("neighbour.never.settings")}</a>
      </p>
      <Builtin list={list} />
    </Card>
  );
}

function Add({ added }: { added: () => Promise<unknown> }) {
  const [pattern, setPattern] = useState("");
  const add = async (e: SubmitEvent) => {
    e.preventDefault();
    if (!pattern.trim()) return;
    if (await neverVisit(pattern.trim(), added)) setPattern("");
  };
  return (
    <form class="never-add" onSubmit={(e) => void add(e)}>
      <label>
        {t("neighbour.never.add")}
        <input type="text" autocapitalize="off" spellcheck={false} placeholder="example.org" value={pattern} onInput={(e) => setPattern(e.currentTarget.value)} />
      </label>
      <button type="submit">{t("never.button")}</button>
    </form>
  );
}

function Words({ title, list }: { title: string; list: string[] }) {
  if (list.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <p>{list.join(", ")}</p>
    </>
  );
}

function Builtin({ list }: { list: NeverList }) {
  if (list.builtin.length === 0) return null;
  const more = list.builtin.length - mostBuiltin;
  return (
    <details class="more">
      <summary>{t("neighbour.never.builtin", { n: list.builtin.length })}</summary>
      <p class="fine">{t("neighbour.never.builtin.text", { version: list.builtin_version })}</p>
      <ul class="never-list">
        {list.builtin.slice(0, mostBuiltin).map((x) => (
          <li key={x.pattern}>
            <span>{x.pattern}</span>
            <span class="fine">{x.reason}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="fine">{t("neighbour.never.builtin.more", { n: more })}</p>}
    </details>
  );
}
