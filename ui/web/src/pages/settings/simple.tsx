import { t } from "../../i18n";
import { Card } from "../../parts/card";
import { say } from "../../parts/toast";
import { href } from "../../router";
import type { Preset, Settings, SettingsCard } from "../../types";
import { PresetText } from "../setup/preset";
import { Field } from "./field";
import { Language } from "./language";
import { Startup } from "./startup";
import { find, save } from "./store";

/** The few settings that most people want. */
export function Simple({ is }: { is: Settings }) {
  const last = is.cards.length - 1;
  const [first, second, ...others] = is.cards.map((card, i) => (
    <Card key={card.title} title={card.title} wide={i === 0}>
      {i === 0 && <Presets list={is.presets} />}
      {i === last && is.startup.possible && <Startup on={is.startup.on} />}
      <Fields card={card} />
    </Card>
  ));
  return (
    <div class="simple">
      {first}
      {second}
      <div class="column">
        {others}
        <Card title={t("set.language")}>
          <Language />
        </Card>
        <p class="fine">
          <a href={href("settings", { view: "all" })}>{t("set.toall")}</a>
        </p>
      </div>
    </div>
  );
}

function Fields({ card }: { card: SettingsCard }) {
  return (
    <div class="fields">
      {card.rows.map(({ key, label, note }) => {
        const s = find(key);
        return s && <Field key={key} setting={s} label={label} note={note} />;
      })}
    </div>
  );
}

/** Settings that go together. The ones that are in use are marked; once something was changed, these are the user's own. */
function Presets({ list }: { list: Preset[] }) {
  if (list.length === 0) return null;
  const choose = async (preset: Preset) => {
    const wrong = await save(preset.settings);
    if (wrong) say(wrong.text, true);
  };
  return (
    <ul class="presets">
      {list.map((p) => (
        <li key={p.id}>
          <button type="button" class="preset" aria-pressed={p.chosen} onClick={() => void choose(p)}>
            <PresetText preset={p} />
          </button>
        </li>
      ))}
      {!list.some((p) => p.chosen) && (
        <li class="preset custom">
          <strong>{t("set.custom")}</strong>
          <span class="preset-text">{t("set.custom.text")}</span>
        </li>
      )}
    </ul>
  );
}
