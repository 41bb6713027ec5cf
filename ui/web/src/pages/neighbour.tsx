import { post } from "../api";
import { number, t } from "../i18n";
import { refresh, status } from "../live";
import { Card } from "../parts/card";
import { attempt, say } from "../parts/toast";
import "../style/swarm.css";
import "../style/neighbour.css";
import type { Health } from "../types";
import { NeverCard } from "./neighbour/never";
import { RefusedSites } from "./neighbour/table";

const webmasters = "https://github.com/forage-net/forage/blob/main/docs/webmasters.md";
const week = "168h";

/** How this node behaves towards sites, and how they answer it. */
export function Neighbour() {
  const s = status.value!;
  return (
    <>
      <h1>{t("nav.neighbour")}</h1>
      <p class="lead">{t("neighbour.lead")}</p>
      <div class="grid">
        <AddressHealth health={s.health} paused={s.state === "paused"} />
        <Obeyed health={s.health} />
        <RefusedSites sites={s.domains} />
        <NeverCard />
        <ForWebmasters version={s.version} />
      </div>
    </>
  );
}

function AddressHealth({ health: h, paused }: { health: Health; paused: boolean }) {
  const slow = h.factor > 1;
  const pause = async () => {
    const done = await attempt(async () => {
      await post("/api/pause", { for: week });
      return true;
    });
    if (done) say(t("pause.done"));
    await refresh();
  };
  return (
    <Card title={t("neighbour.health")} note={h.sampled ? t("neighbour.sampled") : undefined}>
      <p class={slow ? "verdict slow" : "verdict"}>{t(slow ? "neighbour.slow" : h.refused > 0 ? "neighbour.some" : "neighbour.well", { factor: h.factor })}</p>
      <p>{h.answered === 0 ? t("neighbour.today.none") : t("neighbour.today", { n: h.answered, refused: h.refused })}</p>
      {h.challenged > 0 && <p>{t("neighbour.challenged", { n: h.challenged })}</p>}
      {h.answered_before > 0 && <p>{t("neighbour.before", { n: h.answered_before, refused: h.refused_before })}</p>}
      {h.answered_week > 0 && <p>{t("neighbour.week", { n: h.answered_week, refused: h.refused_week, challenged: h.challenged_week })}</p>}
      {slow && !paused && (
        <p class="more-row">
          <button type="button" onClick={() => void pause()}>
            {t("neighbour.pause")}
          </button>
        </p>
      )}
      <p class="fine">{t("neighbour.health.why")}</p>
    </Card>
  );
}

function Obeyed({ health: h }: { health: Health }) {
  return (
    <Card title={t("neighbour.obeyed")}>
      <table class="obeyed">
        <thead>
          <tr>
            <td />
            <th scope="col" class="number">
              {t("neighbour.day")}
            </th>
            <th scope="col" class="number">
              {t("neighbour.days")}
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t("neighbour.forbidden")}</th>
            <td class="number">{number(h.forbidden)}</td>
            <td class="number">{number(h.forbidden_week)}</td>
          </tr>
          <tr>
            <th scope="row">{t("neighbour.waits")}</th>
            <td class="number">{number(h.waits)}</td>
            <td class="number">{number(h.waits_week)}</td>
          </tr>
        </tbody>
      </table>
      <p class="fine">{t("neighbour.obeyed.text")}</p>
    </Card>
  );
}

const promises = ["name", "robots", "single", "gap", "backoff", "pages", "leave"] as const;

function ForWebmasters({ version }: { version: string }) {
  return (
    <Card
      title={t("neighbour.webmasters")}
      note={
        <a href={webmasters} target="_blank" rel="noopener noreferrer">
          {t("neighbour.webmasters.all")}
        </a>
      }
    >
      <p>{t("neighbour.webmasters.text")}</p>
      <ul class="promises">
        {promises.map((name) => (
          <li key={name}>{t(`neighbour.webmasters.${name}`)}</li>
        ))}
      </ul>
      <h3>{t("neighbour.agent")}</h3>
      <pre class="wrapped">
        <code>{`forage/${version} (+${webmasters})`}</code>
      </pre>
      <h3>{t("neighbour.robots")}</h3>
      <pre class="wrapped">
        <code>{"User-agent: forage\nDisallow: /"}</code>
      </pre>
    </Card>
  );
}
