import { has, number, percent, t } from "../../i18n";
import { peerName } from "../../parts/names";
import { Card } from "../../parts/card";
import type { Peer } from "../../types";
import { slug } from "./slug";

/** More rows help nobody. */
const most = 200;

/** The other helpers: those with the largest part of the ring first. */
export function Helpers({ peers }: { peers: Peer[] }) {
  const list = [...peers].sort((a, b) => b.share - a.share || rank(a) - rank(b) || a.id.localeCompare(b.id));
  return (
    <Card title={t("swarm.helpers")} note={t("swarm.helpers.count", { n: peers.length, near: peers.filter(near).length })} wide>
      <div class="scroll" role="group" tabIndex={0} aria-label={t("swarm.helpers")}>
        <table class="helpers">
          <thead>
            <tr>
              <th scope="col">{t("swarm.col.who")}</th>
              <th scope="col">{t("swarm.col.state")}</th>
              <th scope="col">{t("swarm.col.how")}</th>
              <th scope="col" class="number">
                {t("swarm.col.share")}
              </th>
              <th scope="col" class="number">
                {t("swarm.col.capacity")}
              </th>
              <th scope="col" class="number">
                {t("swarm.col.rtt")}
              </th>
              <th scope="col" class="number">
                {t("swarm.col.held")}
              </th>
              <th scope="col" class="number">
                {t("swarm.col.lent")}
              </th>
              <th scope="col">{t("swarm.col.version")}</th>
            </tr>
          </thead>
          <tbody>
            {list.slice(0, most).map((p) => (
              <Row key={p.id} peer={p} />
            ))}
          </tbody>
        </table>
      </div>
      {list.length > most && <p class="fine">{t("swarm.more", { n: list.length - most })}</p>}
      <p class="fine">{t("swarm.helpers.note")}</p>
    </Card>
  );
}

const near = (p: Peer): boolean => p.connection !== "none now";
const rank = (p: Peer): number => (near(p) ? 0 : 1);

function Row({ peer: p }: { peer: Peer }) {
  return (
    <tr>
      <th scope="row">
        <abbr title={p.id}>{peerName(p.id)}</abbr>
      </th>
      <td>{word("swarm.state", p.state)}</td>
      <td>
        <span class={near(p) ? "wire on" : "wire"}>{word("swarm.how", p.connection)}</span>
        {p.state !== "left" && p.state !== "out" && <span class="fine">{word("swarm.reached", p.reach)}</span>}
      </td>
      <td class="number">{percent(p.share, 1)}</td>
      <td class="number">{number(p.capacity)}</td>
      <td class="number">{p.rtt_ms > 0 ? t("swarm.ms", { ms: number(p.rtt_ms, p.rtt_ms < 10 ? 1 : 0) }) : "–"}</td>
      <td class="number">{number(p.leases_held)}</td>
      <td class="number">{number(p.leases_lent)}</td>
      <td>{p.version || "–"}</td>
    </tr>
  );
}

/** A word of the node in the user's language; one that is new stays as it is. */
function word(prefix: string, text: string): string {
  const key = `${prefix}.${slug(text)}`;
  return has(key) ? t(key) : text;
}
