import { post } from "../api";
import { t } from "../i18n";
import { limits, refresh } from "../live";
import type { RunMode } from "../types";
import { attempt, say } from "./toast";

/** When the node works: one of three, and what is chosen is seen at once. */
export function RunModes() {
  const l = limits.value;
  if (!l) return null;
  return (
    <fieldset class="modes">
      <legend class="unseen">{t("run.label")}</legend>
      {(["always", "away", "off"] as const).map((mode) => (
        <button
          key={mode}
          type="button"
          aria-pressed={l.run === mode}
          title={t(`run.${mode}.hint`)}
          disabled={mode === "away" && l.sensors.length === 0 /* a lab, where nobody is watched */}
          onClick={() => void setRun(mode)}
        >
          {t(`run.${mode}`)}
        </button>
      ))}
    </fieldset>
  );
}

export const setRun = (run: RunMode): Promise<void> => command("/api/run", t(`run.${run}.done`), { run });

/** Has the node do something, and says what came of it. */
export async function command(path: string, done: string, body: unknown = {}): Promise<void> {
  const ok = await attempt(async () => {
    await post(path, body);
    return true;
  });
  if (ok) say(done);
  await refresh();
}
