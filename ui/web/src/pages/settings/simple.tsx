import { has, t } from "../../i18n";
import { Card } from "../../parts/card";
import { say } from "../../parts/toast";
import { href } from "../../router";
import type { Setup } from "../../types";
import { PresetText, type Preset } from "../setup/preset";
import { Field } from "./field";
import { Language } from "./language";
import { Startup } from "./startup";
import { find, save, settings } from "./store";

const when = ["idle.after", "level.in_use", "schedule.work"];
const budgets = ["cpu_percent", "down_kbit", "up_kbit"];
const amounts = ["data.day", "data.month", "disk.max"];
const pause = ["pause.battery", "pause.metered", "pause.fullscreen", "heat.fan_quiet", "pause.apps", "pause.other_cpu"];
const known = new Set([...when, ...amounts, ...pause, ...budgets.flatMap((b) => [`budget.full.${b}`, `budget.gentle.${b}`])]);

/** The larger of the budgets that are used at all. */
function budgetKeys(): string[] {
  const full = ["level.in_use", "level.away"].some((key) => find(key)?.text === "full");
  return budgets.map((b) => `budget.${full ? "full" : "gentle"}.${b}`);
}

/** The few settings that most people want. */
export function Simple({ setup }: { setup: Setup }) {
  const more = settings.value!.settings.filter((s) => s.simple && !known.has(s.key)).map((s) => s.key);
  return (
    <div class="simple">
      <Card title={t("set.when")} wide>
        <Presets list={setup.presets} />
        <Fields keys={when} />
      </Card>
      <Card title={t("set.much")}>
        <Fields keys={[...budgetKeys(), ...amounts]} />
      </Card>
      <div class="column">
        <Card title={t("set.pause")}>
          <Fields keys={pause} />
        </Card>
        {(more.length > 0 || setup.startup.possible) && (
          <Card title={t("set.more")}>
            {setup.startup.possible && <Startup on={setup.startup.on} />}
            <Fields keys={more} />
          </Card>
        )}
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

function Fields({ keys }: { keys: string[] }) {
  return (
    <div class="fields">
      {keys.map((key) => {
        const s = find(key);
        return s && <Field key={key} setting={s} label={short(key)} />;
      })}
    </div>
  );
}

/** What a setting is called where little stands around it. */
function short(key: string): string | undefined {
  const word = `set.short.${key.replace(/^budget\.\w+\./, "")}`;
  return has(word) ? t(word) : undefined;
}

/** Settings that go together. The ones that are in use are marked; once something was changed, these are the user's own. */
function Presets({ list }: { list: Preset[] }) {
  if (list.length === 0) return null;
  const chosen = (preset: Preset) => Object.entries(preset.settings).every(([key, text]) => find(key)?.text === text);
  const choose = async (preset: Preset) => {
    const wrong = await save(preset.settings);
    if (wrong) say(wrong.text, true);
  };
  return (
    <ul class="presets">
      {list.map((p) => (
        <li key={p.id}>
          <button type="button" class="preset" aria-pressed={chosen(p)} onClick={() => void choose(p)}>
            <PresetText preset={p} />
          </button>
        </li>
      ))}
      {!list.some(chosen) && (
        <li class="preset custom">
          <strong>{t("set.custom")}</strong>
          <span class="preset-text">{t("set.custom.text")}</span>
        </li>
      )}
    </ul>
  );
}
