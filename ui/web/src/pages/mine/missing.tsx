import { t } from "../../i18n";
import type { ArchiveView } from "../../types";

const kinds = ["style", "image", "font", "other"] as const;
const headings = { style: () => t("view.styles"), image: () => t("view.images"), font: () => t("view.fonts"), other: () => t("view.others") };

/** Says what a page needs and the archive does not have, in numbers and, on demand, by address. */
export function Missing({ shown }: { shown: ArchiveView }) {
  const of = (kind: string) => shown.missing.filter((m) => m.kind === kind);
  const counts = kinds.map((kind) => ({ kind, n: of(kind).length })).filter(({ n }) => n > 0);
  if (counts.length === 0 && shown.more === 0) return null;
  const list = counts.map(({ kind, n }) => t(`view.${kind}`, { n }));
  if (shown.more > 0) list.push(t("view.more", { n: shown.more }));
  return (
    <details class="missing">
      <summary>{t("view.missing", { list: list.join(", ") })}</summary>
      {shown.hurried && <p class="note">{t("view.hurried")}</p>}
      {counts.map(({ kind }) => (
        <section key={kind}>
          <h3>{headings[kind]()}</h3>
          <ul>
            {of(kind).map((m) => (
              <li key={m.url}>{m.url}</li>
            ))}
          </ul>
        </section>
      ))}
    </details>
  );
}
