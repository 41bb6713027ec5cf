import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../api";
import { bytes, clockTime, date, has, lang, number, t } from "../../i18n";
import { Card } from "../../parts/card";
import { shortName } from "../../parts/names";
import { Never } from "../../parts/never";
import { attempt } from "../../parts/toast";
import { href } from "../../router";
import type { Domain } from "../../types";

/** How many are asked for at once. */
const step = 500;
/** How many rows are made, and unmade, together. */
const block = 50;
/** The height of a row until it is known, in pixels. */
const guess = 62;

/** The sites that this node keeps the books of, and those it fetches for others. */
export function Domains() {
  const [list, setList] = useState<Domain[]>([]);
  const [helping, setHelping] = useState<Domain[]>([]);
  const [more, setMore] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const busy = useRef(false);

  const load = async (after: string) => {
    if (busy.current) return;
    busy.current = true;
    const page = await attempt(() => get<{ domains: Domain[] }>("/api/domains", { after, limit: step, lang: lang.value }));
    busy.current = false;
    if (!page) return;
    setList((old) => (after ? old.concat(page.domains) : page.domains));
    setMore(page.domains.length === step);
  };
  useEffect(() => {
    void load("");
    void attempt(() => get<{ domains: Domain[] }>("/api/helping")).then((page) => page && setHelping(page.domains));
  }, [lang.value]);

  const blocks: Domain[][] = [];
  for (let i = 0; i < list.length; i += block) blocks.push(list.slice(i, i + block));
  const reached = (last: boolean) => last && more && void load(list.at(-1)!.domain);

  return (
    <Card title={t("domains.title")} note={t("domains.note")} wide>
      {list.length === 0 && <p class="empty">{t("domains.none")}</p>}
      {list.length > 0 && (
        <div class={list.length > 12 ? "scroll tall" : "scroll"} ref={box} tabIndex={0} role="region" aria-label={t("domains.title")}>
          <table aria-rowcount={more ? -1 : list.length + 1}>
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
            {blocks.map((rows, i) => (
              <Block key={i} rows={rows} first={i * block} box={box} reached={() => reached(i === blocks.length - 1)} />
            ))}
          </table>
        </div>
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

/** Some rows. Those far out of sight are not made: a node may own tens of thousands. */
function Block({ rows, first, box, reached }: { rows: Domain[]; first: number; box: { current: HTMLElement | null }; reached: () => void }) {
  const part = useRef<HTMLTableSectionElement>(null);
  const height = useRef(rows.length * guess);
  const [seen, setSeen] = useState(first === 0);
  useEffect(() => {
    const watch = new IntersectionObserver(
      (entries) => {
        const near = entries.at(-1)!.isIntersecting;
        if (!near) height.current = part.current!.offsetHeight;
        setSeen(near);
      },
      { root: box.current, rootMargin: "600px 0px" },
    );
    watch.observe(part.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (seen) reached();
  });
  return (
    <tbody ref={part}>
      {seen ? (
        rows.map((d, i) => <Row key={d.domain} d={d} index={first + i + 2} />)
      ) : (
        <tr aria-hidden="true" style={{ height: `${height.current}px` }}>
          <td colSpan={7} />
        </tr>
      )}
    </tbody>
  );
}

function Row({ d, index }: { d: Domain; index: number }) {
  return (
    <tr aria-rowindex={index}>
      <th scope="row">
        {d.fetched > 0 ? <a href={href("mine", { site: d.domain })}>{d.domain}</a> : d.domain}
        {d.title && <span class="sub"><bdi>{d.title}</bdi></span>}
      </th>
      <td>
        {stateText(d.state)}
        {d.reason && <span class="sub">{d.reason}</span>}
        {d.distance && <span class="sub">{d.distance}</span>}
      </td>
      <td class="number">{number(d.fetched)}</td>
      <td class="number">{number(d.queued)}</td>
      <td class="number">{bytes(d.bytes)}</td>
      <td>{d.next_visit ? nextText(d.next_visit) : "–"}</td>
      <td>
        <Never domain={d.domain} />
      </td>
    </tr>
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
