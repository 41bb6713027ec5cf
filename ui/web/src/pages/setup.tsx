import "../style/setup.css";
import { useState } from "preact/hooks";
import { get, post } from "../api";
import { lang, t } from "../i18n";
import { reachable, refresh, status } from "../live";
import { Lost } from "../parts/statusbar";
import { usePolled } from "../parts/poll";
import { attempt, say, Toasts, trouble } from "../parts/toast";
import { href } from "../router";
import type { Setup as Answer } from "../types";
import { Language } from "./settings/language";
import { FirstPage } from "./setup/first";
import { Ready, Seen, Welcome, When } from "./setup/screens";
import { begin, keep, progress, settingsOf, settingUp, type Progress } from "./setup/state";

/** The first steps: what forage is, what others see, when it may work, and the first page. */
export function Setup() {
  const setup = usePolled((signal) => get<Answer>("/api/setup", { lang: lang.value }, signal), 5000, [lang.value]);
  const [{ step, mine, choice, answers, startup }, setProgress] = useState(progress);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  const [startedAt, setStartedAt] = useState(0);

  const preset = choice ?? setup?.presets.find((p) => p.chosen)?.id ?? "";
  const set = (part: Partial<Progress>) => setProgress((is) => keep({ ...is, ...part }));
  const back = () => set({ step: step - 1 });
  const next = () => set({ step: step + 1 });

  const leave = async () => {
    await refresh();
    settingUp.value = false;
    keep(begin);
    location.hash = href("now");
  };

  /** Says yes to what was read and chosen. From here on the node may send. */
  const agree = async (then: () => Promise<void>) => {
    setBusy(true);
    setFault("");
    settingUp.value = true; // this page stays, though consent is given
    try {
      await post("/api/setup", {
        agree: true,
        connection_is_mine: mine,
        preset,
        settings: settingsOf(setup!.questions, answers),
        version: setup!.consent.version,
        lang: lang.value,
      });
      if (startup) await attempt(() => post("/api/startup", { on: true }));
      await then();
    } catch (cause) {
      setFault(trouble(cause));
      settingUp.value = false;
    }
    setBusy(false);
  };

  const start = () => {
    const at = Date.now();
    return agree(async () => {
      const works = await attempt(async () => {
        await post("/api/work", { for: "2m" });
        return true;
      });
      if (!works) return leave(); // consent is given: the first page comes when there is time
      void refresh();
      setStartedAt(at);
    });
  };

  const wait = () =>
    agree(async () => {
      await leave();
      say(t("first.waits"));
    });

  return (
    <>
      <main class="setup" id="main">
        <header class="setup-head">
          <span class="setup-brand">
            <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
              <circle cx="16" cy="16" r="12.5" class="brand-ring" />
              <path d="M16 3.5A12.5 12.5 0 0 1 28.5 16" class="brand-arc" />
              <circle cx="16" cy="16" r="4" class="brand-dot" />
            </svg>
            Forage
          </span>
          <Language />
        </header>
        {!reachable.value && <Lost />}
        {startedAt > 0 ? (
          <FirstPage since={startedAt} onDone={() => void leave()} />
        ) : setup === undefined ? (
          <p class="loading">{t("loading")}</p>
        ) : step === 1 ? (
          <Welcome onNext={next} />
        ) : step === 2 ? (
          <Seen setup={setup} onNext={next} onBack={back} mine={mine} setMine={(mine) => set({ mine })} />
        ) : step === 3 ? (
          <When setup={setup} onNext={next} onBack={back} preset={preset} setPreset={(choice) => set({ choice })} answers={answers} setAnswers={(answers) => set({ answers })} />
        ) : (
          <Ready
            preset={setup.presets.find((p) => p.id === preset)?.title ?? ""}
            startup={setup.startup.possible && !setup.startup.on ? startup : undefined}
            setStartup={(startup) => set({ startup })}
            fault={fault}
            busy={busy}
            onBack={back}
            onStart={() => void start()}
            onWait={() => void wait()}
          />
        )}
        {status.value?.lab && <p class="fine">{t("first.lab")}</p>}
      </main>
      <Toasts />
    </>
  );
}
