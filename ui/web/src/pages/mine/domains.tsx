import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get } from "../../api";
import { bytes, clockTime, date, has, lang, number, t } from "../../i18n";
import { Card } from "../../parts/card";
import { peerName } from "../../parts/names";
import { SiteMenu } from "../../parts/never";
import { SortHead, sorted, type Order } from "../../parts/sort";
import { attempt } from "../../parts/toast";
import { href } from "../../router";
import type { Domain } from "../../types";

/** How many are asked for at once. */
const step = 500;
/** How many rows are made, and unmade, together. */
const block = 50;
/** The height of a row until it is known, in pixels. */
const guess = 62;

/** Lists that are longer are not sorted but by name: all of a list is asked for to sort it. */
const mostSorted = 20_000;

type Column = "domain" | "state" | "fetched" | "queued" | "bytes" | "next";

const values: Record<Column, (d: Domain) => string | number | null> = {
  domain: (d) => d.domain,
  state: (d) => stateText(d.state),
  fetched: (d) => d.fetched,
  queued: (d) => d.queued,
  bytes: (d) => d.bytes,
  next: (d) => (d.next_visit ? Date.parse(d.next_visit) : null),
};

/** The sites that this node keeps the books of, and those it fetches for others. When they are known, onReady is told. */
export function Domains({ onReady }: { onReady: () => void }) {
  const [known, setKnown] = useState<Domain[] | null>(null);
  const [order, setOrder] = useState<Order<Column>>({ by: "domain", down: false });
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
    setKnown((old) => (after && old ? old.concat(page.domains) : page.domains));
    setMore(page.domains.length === step);
    if (!after) onReady();
  };
  const sortBy = (to: Order<Column>) => {
    setOrder(to);
    if (box.current) box.current.scrollTop = 0;
  };
  useEffect(() => {
    void load("");
    void attempt(() => get<{ domains: Domain[] }>("/api/helping")).then((page) => page && setHelping(page.domains));
  }, [lang.value]);

  const byName = order.by === "domain" && !order.down;
  const all = known ?? [];
  useEffect(() => {
    if (!byName && more && all.length < mostSorted) void load(all.at(-1)!.domain);
  }, [byName, more, all.length]);
  const list = useMemo(() => (byName ? all : sorted(all, values[order.by], order.down)), [known, order]);
  if (!known) return null;

  const blocks: Domain[][] = [];
  for (let i = 0; i < list.length; i += block) blocks.push(list.slice(i, i + block));
  const reached = (last: boolean) => last && byName && more && void load(list.at(-1)!.domain);

  const head = (by: Column, text: string, figures = false) => (
    <SortHead order={order} by={by} figures={figures} set={sortBy}>
      {text}
    </SortHead>
  );

  return (
    <Card title={t("domains.title")} note={t("domains.note")} wide>
      {list.length === 0 && <p class="empty">{t("domains.none")}</p>}
      {list.length > 0 && (
        <div class={list.length > 12 ? "scroll tall" : "scroll"} ref={box} tabIndex={0} role="group" aria-label={t("domains.title")}>
          <table aria-rowcount={more ? -1 : list.length + 1}>
            <thead>
              <tr>
                {head("domain", t("domains.site"))}
                {head("state", t("domains.state"))}
                {head("fetched", t("domains.fetched"), true)}
                {head("queued", t("domains.queued"), true)}
                {head("bytes", t("domains.bytes"), true)}
                {head("next", t("domains.next"))}
                <th scope="col">
                  <span class="unseen">{t("site.menu.title")}</span>
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
                {d.domain} <span class="note">{t("now.theirs", { peer: peerName(d.owner) })}</span>
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
      <td class="standing">
        {stateText(d.state)}
        {d.reason && <span class="sub">{d.reason}</span>}
        {d.distance && <span class="sub">{d.distance}</span>}
      </td>
      <td class="number">{number(d.fetched)}</td>
      <td class="number">{number(d.queued)}</td>
      <td class="number">{bytes(d.bytes)}</td>
      <td>{d.next_visit ? nextText(d.next_visit) : "–"}</td>
      <td>
        <SiteMenu domain={d.domain} archived={d.fetched > 0} />
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
