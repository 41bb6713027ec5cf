import { useEffect, useState } from "preact/hooks";
import { dateTime, number, t } from "../../i18n";
import { Card } from "../../parts/card";
import { SiteMenu } from "../../parts/never";
import { SortHead, sorted, type Order } from "../../parts/sort";
import { attempt } from "../../parts/toast";
import type { Domain } from "../../types";
import { lookOn, none, type Looked } from "./refused";

type Column = "domain" | "refusals" | "challenges" | "backoffs" | "next";

const values: Record<Column, (d: Domain) => string | number | null> = {
  domain: (d) => d.domain,
  refusals: (d) => d.refusals,
  challenges: (d) => d.challenges,
  backoffs: (d) => d.backoffs,
  next: (d) => (d.next_visit ? Date.parse(d.next_visit) : null),
};

/** Sites that asked for less, or turned this computer away. */
export function RefusedSites({ sites }: { sites: number }) {
  const [looked, setLooked] = useState<Looked>(none);
  const [busy, setBusy] = useState(false);
  const look = async (from: Looked, signal: AbortSignal) => {
    setBusy(true);
    const next = await attempt(() => lookOn(from, signal)).finally(() => setBusy(false));
    if (next && !signal.aborted) setLooked(next);
  };
  useEffect(() => {
    const stop = new AbortController();
    void lookOn(none, stop.signal).then(setLooked, () => {});
    return () => stop.abort();
  }, []);
  const { found, seen, done } = looked;
  const [order, setOrder] = useState<Order<Column>>({ by: "refusals", down: true });
  const list = sorted(found, values[order.by], order.down);
  const head = (by: Column, text: string, figures = false) => (
    <SortHead order={order} by={by} figures={figures} set={setOrder}>
      {text}
    </SortHead>
  );
  return (
    <Card title={t("neighbour.sites")} note={t("neighbour.sites.seen", { n: seen, all: Math.max(sites, seen) })} wide>
      {found.length === 0 ? (
        <p class="empty">{t(done ? "neighbour.sites.none" : "neighbour.sites.none-so-far")}</p>
      ) : (
        <div class="scroll" role="group" tabIndex={0} aria-label={t("neighbour.sites")}>
          <table>
            <thead>
              <tr>
                {head("domain", t("neighbour.col.site"))}
                {head("refusals", t("neighbour.col.refusals"), true)}
                {head("challenges", t("neighbour.col.challenges"), true)}
                {head("backoffs", t("neighbour.col.backoffs"), true)}
                {head("next", t("neighbour.col.next"))}
                <th scope="col">
                  <span class="unseen">{t("site.menu.title")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.map((d) => (
                <tr key={d.domain}>
                  <th scope="row">{d.domain}</th>
                  <td class="number">{number(d.refusals)}</td>
                  <td class="number">{number(d.challenges)}</td>
                  <td class="number">{number(d.backoffs)}</td>
                  <td>{d.next_visit && Date.parse(d.next_visit) > Date.now() ? dateTime(d.next_visit) : "–"}</td>
                  <td>
                    <SiteMenu domain={d.domain} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!done && seen > 0 && (
        <p class="more-row">
          <button type="button" disabled={busy} onClick={() => void look(looked, new AbortController().signal)}>
            {t("neighbour.sites.more")}
          </button>
        </p>
      )}
    </Card>
  );
}
