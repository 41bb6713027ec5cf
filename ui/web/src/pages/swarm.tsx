import { get } from "../api";
import { lang, number, percent, t } from "../i18n";
import { status } from "../live";
import { Card, Figure } from "../parts/card";
import { CopyLine } from "../parts/copy";
import { usePolled } from "../parts/poll";
import "../style/swarm.css";
import type { Peers, Status } from "../types";
import { Helpers } from "./swarm/helpers";
import { Traffic } from "./swarm/traffic";

const every = 3000;

/** The other helpers, and this node's place among them. */
export function Swarm() {
  const peers = usePolled((signal) => get<Peers>("/api/peers", { lang: lang.value }, signal), every, [lang.value]);
  if (!peers) return <p class="loading">{t("loading")}</p>;
  return (
    <>
      <h1>{t("swarm.title")}</h1>
      <p class="lead">{t(peers.alone ? "swarm.lead.alone" : peers.share > 0 ? "swarm.lead" : "swarm.lead.fetches", { n: peers.members })}</p>
      <div class="grid">
        {peers.alone && <Alone />}
        <Place peers={peers} status={status.value!} />
        <Invite peers={peers} />
        {peers.peers.length > 0 && <Helpers peers={peers.peers} />}
        <Exchanged peers={peers} />
        <Traffic lines={peers.traffic} />
      </div>
    </>
  );
}

function Alone() {
  return (
    <section class="card wide alone" aria-labelledby="alone">
      <h2 id="alone">{t("swarm.alone.title")}</h2>
      <p>{t("swarm.alone.text")}</p>
      <ul>
        <li>{t("swarm.alone.invite")}</li>
        <li>{t("swarm.alone.wait")}</li>
      </ul>
    </section>
  );
}

function Place({ peers, status: s }: { peers: Peers; status: Status }) {
  return (
    <Card title={t("swarm.place")}>
      <dl class="figures">
        <Figure value={percent(peers.share, peers.share < 0.1 ? 1 : 0)} text={t("swarm.share")} />
        <Figure value={number(s.domains)} text={t("swarm.sites")} />
      </dl>
      <h3>{t("swarm.reach")}</h3>
      <p class="reach">{peers.reachability}</p>
      {s.admission && <p class="reach">{s.admission}</p>}
      <h3>{t("swarm.copies")}</h3>
      <p>{copiesText(s)}</p>
      {s.follows > 0 && <p>{t("swarm.copies.kept", { n: s.follows })}</p>}
      <p class="fine id">{t("swarm.id", { id: peers.id })}</p>
    </Card>
  );
}

function copiesText(s: Status): string {
  if (s.careful > 0) return t("swarm.copies.careful");
  if (s.members <= 1) return t("swarm.copies.alone");
  return t(s.whole >= s.leads ? "swarm.copies.whole" : "swarm.copies.partly");
}

function Invite({ peers }: { peers: Peers }) {
  const line = peers.invite;
  if (peers.private) {
    return (
      <Card title={t("swarm.invite")}>
        <p>{t("swarm.invite.private")}</p>
        <pre>
          <code>forage invite</code>
        </pre>
      </Card>
    );
  }
  return (
    <Card title={t("swarm.invite")}>
      <p>{t("swarm.invite.text")}</p>
      {line ? (
        <>
          <CopyLine text={line} label={t("swarm.invite.line")} />
          <p class="fine">{t("swarm.invite.how")}</p>
          <pre>
            <code>forage join LINE</code>
          </pre>
          <p class="fine">{t("swarm.invite.shows")}</p>
        </>
      ) : (
        <p class="empty">{t("swarm.invite.none")}</p>
      )}
    </Card>
  );
}

// What the node counts, in the order in which it is told.
const counted = [
  "links sent",
  "links taken",
  "leases lent",
  "leases back",
  "pages taken",
  "leases held",
  "leases brought",
  "domains given",
  "domains taken",
  "lies refused",
] as const;

function Exchanged({ peers }: { peers: Peers }) {
  const offences = Object.values(peers.offences).reduce((sum, n) => sum + n, 0);
  return (
    <Card title={t("swarm.shared")} note={t("swarm.since")} wide>
      <dl class="figures">
        {counted
          .filter((what) => what in peers.shared)
          .map((what) => (
            <Figure key={what} value={number(peers.shared[what]!)} text={t(`swarm.shared.${what.replace(" ", "-")}`)} />
          ))}
      </dl>
      {Object.keys(peers.shared).length === 0 && <p class="empty">{t("swarm.shared.none")}</p>}
      <p class="fine">{offences === 0 ? t("swarm.offences.none") : t("swarm.offences", { n: offences })}</p>
    </Card>
  );
}
