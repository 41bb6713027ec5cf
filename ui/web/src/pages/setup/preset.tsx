import { bytes, number, percent, t } from "../../i18n";
import type { Setup } from "../../types";
import { mostOf } from "./limits";

export type Preset = Setup["presets"][number];

/** What a preset is, and what it comes to at most. */
export function PresetText({ preset: p }: { preset: Preset }) {
  return (
    <>
      <strong>{p.title}</strong>
      <span class="preset-text">{p.text}</span>
      <span class="preset-most">{mostText(p)}</span>
    </>
  );
}

export function mostText(p: Preset): string {
  const most = mostOf(p.settings);
  const items: string[] = [];
  if (most.cpu !== null) items.push(t("setup.most.cpu", { share: percent(most.cpu / 100) }));
  if (most.down !== null) items.push(most.down < 0 ? t("setup.most.down.none") : t("setup.most.down", { rate: `${number(most.down / 1000, 1)}\u00a0Mbit/s` }));
  if (most.disk !== null) items.push(most.disk < 0 ? t("setup.most.disk.none") : t("setup.most.disk", { size: bytes(most.disk) }));
  if (most.month !== null) items.push(most.month < 0 ? t("setup.most.month.none") : t("setup.most.month", { size: bytes(most.month) }));
  return items.length > 0 ? t("setup.most", { items: items.join(" · ") }) : "";
}
