import { useEffect, useState } from "preact/hooks";
import { dateTime, number, t } from "../../i18n";
import { Card } from "../../parts/card";
import { Never } from "../../parts/never";
import { attempt } from "../../parts/toast";
import { lookOn, none, type Looked } from "./refused";

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
  return (
    <Card title={t("neighbour.sites")} note={t("neighbour.sites.seen", { n: seen, all: Math.max(sites, seen) })} wide>
      {found.length === 0 ? (
        <p class="empty">{t(done ? "neighbour.sites.none" : "neighbour.sites.none-so-far")}</p>
      ) : (
        <div class="scroll" role="group" tabIndex={0} aria-label={t("neighbour.sites")}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("neighbour.col.site")}</th>
                <th scope="col" class="number">
                  {t("neighbour.col.refusals")}
                </th>
                <th scope="col" class="number">
                  {t("neighbour.col.challenges")}
                </th>
                <th scope="col" class="number">
                  {t("neighbour.col.backoffs")}
                </th>
                <th scope="col">{t("neighbour.col.next")}</th>
                <th scope="col">
                  <span class="unseen">{t("never.button")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {found.map((d) => (
                <tr key={d.domain}>
                  <th scope="row">{d.domain}</th>
                  <td class="number">{number(d.refusals)}</td>
                  <td class="number">{number(d.challenges)}</td>
                  <td class="number">{number(d.backoffs)}</td>
                  <td>{d.next_visit && Date.parse(d.next_visit) > Date.now() ? dateTime(d.next_visit) : "–"}</td>
                  <td>
                    <Never domain={d.domain} />
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
