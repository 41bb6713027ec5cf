import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n";
import { href, route } from "../../router";
import type { Setting } from "../../types";
import { Field } from "./field";
import { search } from "./search";
import { settings } from "./store";

/** All settings, group by group, and a search in them. */
export function All() {
  const [query, setQuery] = useState("");
  const [changed, setChanged] = useState(false);
  const list = search(settings.value!.settings, query).filter((s) => !changed || s.set);
  useDeepLink();
  return (
    <>
      <div class="finder">
        <label>
          {t("set.search")}
          <input type="search" value={query} onInput={(e) => setQuery(e.currentTarget.value)} />
        </label>
        <label class="tick">
          <input type="checkbox" checked={changed} onChange={(e) => setChanged(e.currentTarget.checked)} />
          {t("set.changedonly")}
        </label>
        <p class="fine" role="status">
          {list.length === 0 ? t("set.found.none") : t("set.found", { n: list.length })}
        </p>
      </div>
      {groups(list).map(([name, members]) => (
        <section key={name} class="card group" aria-label={name}>
          <h2>{name}</h2>
          {members.map((s) => (
            <Field key={s.key} setting={s} full />
          ))}
        </section>
      ))}
      <p class="fine file">{t("set.file", { file: settings.value!.file })}</p>
    </>
  );
}

/** The groups by their names, as they come. */
function groups(list: Setting[]): [string, Setting[]][] {
  const map = new Map<string, Setting[]>();
  for (const s of list) map.set(s.group_name, [...(map.get(s.group_name) ?? []), s]);
  return [...map];
}

/** Shows the setting that the address names. */
function useDeepLink(): void {
  const key = route.value.params.get("key");
  const shown = useRef<string | null>(null);
  useEffect(() => {
    if (key === null || shown.current === key) return;
    const field = document.getElementById(`set-${key}`);
    if (!field) return;
    shown.current = key;
    field.scrollIntoView({ block: "center" });
    field.focus({ preventScroll: true });
  });
}

export const allHref = (key?: string): string => href("settings", key ? { key } : { view: "all" });
