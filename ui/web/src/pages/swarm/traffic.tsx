import { bytes, has, number, t } from "../../i18n";
import { Card } from "../../parts/card";
import type { Peers } from "../../types";
import { slug } from "./slug";

type Line = Peers["traffic"][number];

const total = (x: Line): number => x.bytes_sent + x.bytes_received;

/** What was exchanged with other nodes, by what it was for. */
export function Traffic({ lines }: { lines: Line[] }) {
  const kinds = lines.filter((x) => x.kind !== "").sort((a, b) => total(b) - total(a));
  const streams = lines.filter((x) => x.kind === "").sort((a, b) => total(b) - total(a));
  const sum = (of: (x: Line) => number) => streams.reduce((s, x) => s + of(x), 0);
  return (
    <Card title={t("swarm.traffic")} note={t("swarm.since")} wide>
      <p>{t("swarm.traffic.sum", { sent: bytes(sum((x) => x.bytes_sent)), received: bytes(sum((x) => x.bytes_received)) })}</p>
      <details class="more">
        <summary>{t("swarm.traffic.kinds")}</summary>
        <Table name={t("swarm.traffic.kinds")} first={t("swarm.col.kind")} lines={kinds} called={kindName} frames />
        <h3>{t("swarm.traffic.streams")}</h3>
        <p class="fine">{t("swarm.traffic.streams.note")}</p>
        <Table name={t("swarm.traffic.streams")} first={t("swarm.col.protocol")} lines={streams} called={(x) => x.protocol || t("swarm.traffic.none")} />
      </details>
    </Card>
  );
}

function kindName(x: Line): string {
  const key = `swarm.kind.${slug(x.kind)}`;
  return has(key) ? t(key) : x.kind;
}

function Table({ name, first, lines, called, frames = false }: { name: string; first: string; lines: Line[]; called: (x: Line) => string; frames?: boolean }) {
  return (
    <div class="scroll" role="group" tabIndex={0} aria-label={name}>
      <table>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {frames && (
              <th scope="col" class="number">
                {t("swarm.col.requests")}
              </th>
            )}
            <th scope="col" class="number">
              {t("swarm.col.sent")}
            </th>
            <th scope="col" class="number">
              {t("swarm.col.received")}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((x) => (
            <tr key={x.kind + x.protocol}>
              <th scope="row">{called(x)}</th>
              {frames && <td class="number">{number(x.sent)}</td>}
              <td class="number">{bytes(x.bytes_sent)}</td>
              <td class="number">{bytes(x.bytes_received)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
