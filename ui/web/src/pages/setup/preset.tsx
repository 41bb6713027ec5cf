import "../../style/presets.css";
import type { Preset } from "../../types";

/** What a preset is. */
export function PresetText({ preset: p }: { preset: Preset }) {
  return (
    <>
      <strong>{p.title}</strong>
      <span class="preset-text">{p.text}</span>
    </>
  );
}
