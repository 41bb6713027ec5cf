import "../../style/presets.css";
import { bytes, t } from "../../i18n";
import type { Setup } from "../../types";
import { mostOf } from "./limits";

export type Preset = Setup["presets"][number];

/** What a preset is. */
export function PresetText({ preset: p }: { preset: Preset }) {
  return (
    <>
      <strong>{p.title}</strong>
      <span class="preset-text">{p.text}</span>
    </>
  );
}

/** What a preset comes to at most, "" where its settings do not say. */
export function mostText(settings: Record<string, string>): string {
  const { month, disk } = mostOf(settings);
  const items: string[] = [];
  if (month !== null) items.push(month < 0 ? t("first.most.month.none") : t("first.most.month", { size: bytes(month) }));
  if (disk !== null) items.push(disk < 0 ? t("first.most.disk.none") : t("first.most.disk", { size: bytes(disk) }));
  if (settings["pause.battery"] === "yes" && settings["pause.metered"] === "yes") items.push(t("first.most.rests"));
  return items.join(" ");
}
