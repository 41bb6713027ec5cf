import { useEffect, useState } from "preact/hooks";
import { get } from "../../api";
import { bytes, clockTime, date, has, number, t } from "../../i18n";
import { Card } from "../../parts/card";
import { shortName } from "../../parts/names";
import { Never } from "../../parts/never";
import { attempt } from "../../parts/toast";
import type { Domain } from "../../types";

const step = 25;

/** The sites that this node keeps the books of, and those it fetches for others. */
export function Domains() {
  const [list, setList] = useState<Domain[]>([]);
  const [helping, setHelping] = useState<Domain[]>([]);
  const [more, setMore] = useState(false);

  const load = async (after: string) => {
    const page = await attempt(() => get<{ domains: Domain[] }>("/api/domains", { after, limit: step }));
    if (!page) return;
    setList((old) => (after ? old.concat(page.domains) : page.domains));
    setMore(page.domains.length === step);
  };
  useEffect(() => {
    void load("");
    void attempt(() => get<{ domains: Domain[] }>("/api/helping")).then((page) => page && setHelping(page.domains));
  }, []);

  return (
    <Card title={t("domains.title")} note={t("domains.note")} wide>
      {list.length === 0 && <p class="empty">{t("domains.none")}</p>}
      {list.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label={t("domains.title")}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("domains.site")}</th>
                <th scope="col">{t("domains.state")}</th>
                <th scope="col" class="number">
                  {t("domains.fetched")}
                </th>
                <th scope="col" class="number">
                  {t("domains.queued")}
                </th>
                <th scope="col" class="number">
                  {t("domains.bytes")}
                </th>
                <th scope="col">{t("domains.next")}</th>
                <th scope="col">
                  <span class="unseen">{t("never.button")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((d) => (
                <tr key={d.domain}>
                  <th scope="row">
                    {d.domain}
                    {d.title && <span class="sub">{d.title}</span>}
                  </th>
                  <td>
                    {stateText(d.state)}
                    {d.reason && (
                      <span class="sub" lang="en">
                        {d.reason}
                      </span>
                    )}
                  </td>
                  <td class="number">{number(d.fetched)}</td>
                  <td class="number">{number(d.queued)}</td>
                  <td class="number">{bytes(d.bytes)}</td>
                  <td>{d.next_visit ? nextText(d.next_visit) : "–"}</td>
                  <td>
                    <Never domain={d.domain} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {more && (
        <p>
          <button type="button" onClick={() => void load(list.at(-1)!.domain)}>
            {t("domains.more")}
          </button>
        </p>
      )}
      {helping.length > 0 && (
        <>
          <h3>{t("domains.helping")}</h3>
          <ul class="helping">
            {helping.map((d) => (
              <li key={d.domain}>
                {d.domain} <span class="note">{t("now.theirs", { peer: shortName(d.owner) })}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

const stateText = (state: string): string => {
  const key = `domains.state.${state.replace(/\W+/g, "-")}`;
  return has(key) ? t(key) : state;
};

function nextText(at: string): string {
  const when = new Date(at);
  return when.toDateString() === new Date().toDateString() ? clockTime(when) : date(when);
}
