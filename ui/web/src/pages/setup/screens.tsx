// The screens before the first page, each with a form: Enter goes on.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../i18n";
import type { Setup, SetupQuestion } from "../../types";
import { PresetText } from "./preset";
import type { Answers } from "./state";

export const screens = 4;

export interface ScreenProps {
  title: string;
  /** From 1 on. */
  step: number;
  onNext: () => void;
  onBack?: (() => void) | undefined;
  next: string;
  /** What stands beside the button that goes on. */
  others?: ComponentChildren;
  busy?: boolean;
  children: ComponentChildren;
}

export function Screen({ title, step, onNext, onBack, next, others, busy = false, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
    scrollTo(0, 0);
  }, [step]);
  return (
    <form
      class="screen"
      onSubmit={(e) => {
        e.preventDefault();
        if (!busy) onNext();
      }}
      onKeyDown={(e) => {
        // In fields, Enter goes on by itself.
        if (e.key === "Enter" && e.target === heading.current) e.currentTarget.requestSubmit();
      }}
    >
      <Progress step={step} />
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {children}
      <div class="screen-acts">
        {onBack && (
          <button type="button" onClick={onBack} disabled={busy}>
            {t("first.back")}
          </button>
        )}
        <span class="space" />
        {others}
        <button type="submit" class="main" disabled={busy}>
          {next}
        </button>
      </div>
    </form>
  );
}

function Progress({ step }: { step: number }) {
  return (
    <div class="progress">
      <span aria-hidden="true" class="dots">
        {Array.from({ length: screens }, (_, i) => (
          <span key={i} class={i < step ? "done" : ""} />
        ))}
      </span>
      <span>{t("first.step", { step, of: screens })}</span>
    </div>
  );
}

interface StepProps {
  setup: Setup;
  onNext: () => void;
  onBack: () => void;
}

export function Welcome({ onNext }: { onNext: () => void }) {
  return (
    <Screen title={t("first.welcome")} step={1} onNext={onNext} next={t("first.next")}>
      <p class="lead">{t("first.what")}</p>
      <p class="lead">{t("first.keep")}</p>
      <p class="quiet">{t("first.nothing")}</p>
      <details>
        <summary>{t("first.how")}</summary>
        <ol class="how">
          {["share", "ask", "gap", "map", "stop"].map((key) => (
            <li key={key}>{t(`first.how.${key}`)}</li>
          ))}
        </ol>
      </details>
    </Screen>
  );
}

// Shapes of 24 × 24.
const sights: [string, string][] = [
  ["sites", "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18"],
  ["helpers", "M8 11a3 3 0 1 0 0-.01M16 11a3 3 0 1 0 0-.01M3 19c0-3 2-5 5-5s5 2 5 5M13 15c3-2 8 0 8 4"],
  ["provider", "M5 18h14M7 18v-5h10v5M12 13V9M8 8a5.5 5.5 0 0 1 8 0M5.5 5.5a9 9 0 0 1 13 0"],
];

export function Seen({ setup, onNext, onBack, mine, setMine }: StepProps & { mine: boolean; setMine: (mine: boolean) => void }) {
  const [missing, setMissing] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const next = () => {
    setMissing(!mine);
    if (mine) onNext();
    else box.current?.focus();
  };
  return (
    <Screen title={t("first.seen")} step={2} onNext={next} onBack={onBack} next={t("first.agree")}>
      <ul class="sights">
        {sights.map(([name, shape]) => (
          <li key={name}>
            <svg viewBox="0 0 24 24" width="32" height="32" aria-hidden="true">
              <path d={shape} />
            </svg>
            <p>{t(`first.seen.${name}`)}</p>
          </li>
        ))}
      </ul>
      <p class="quiet">{t("first.never")}</p>
      <details>
        <summary>{t("first.text", { title: setup.consent.title })}</summary>
        <div class="consent">
          {setup.consent.note && <p>{setup.consent.note}</p>}
          {setup.consent.text.map((p, i) => (
            <p key={i}>{p}</p>
          ))}
        </div>
      </details>
      <details>
        <summary>{t("first.whose")}</summary>
        <p>{t("first.whose.text")}</p>
      </details>
      <div class={missing && !mine ? "mine missing" : "mine"}>
        <label class="tick">
          <input
            type="checkbox"
            ref={box}
            checked={mine}
            aria-describedby="mine-missing"
            aria-invalid={missing && !mine}
            onChange={(e) => setMine(e.currentTarget.checked)}
          />
          {t("first.mine")}
        </label>
        <div class="room">
          <p aria-hidden="true">{t("first.mine.missing")}</p>
          <p class="fault" id="mine-missing" role="alert">
            {missing && !mine && t("first.mine.missing")}
          </p>
        </div>
      </div>
      <p class="fine">{t("first.agreeing")}</p>
    </Screen>
  );
}

interface WhenProps extends StepProps {
  preset: string;
  setPreset: (id: string) => void;
  answers: Answers;
  setAnswers: (answers: Answers) => void;
}

export function When({ setup, onNext, onBack, preset, setPreset, answers, setAnswers }: WhenProps) {
  const chosen = setup.presets.find((p) => p.id === preset);
  const own = !setup.presets.some((p) => p.chosen);
  return (
    <Screen title={t("first.when")} step={3} onNext={onNext} onBack={onBack} next={t("first.next")}>
      <fieldset class="cards">
        <legend class="unseen">{t("first.when")}</legend>
        {setup.presets.map((p) => (
          <label key={p.id} class="preset">
            <input type="radio" name="preset" checked={p.id === preset} onChange={() => setPreset(p.id)} />
            <PresetText preset={p} />
          </label>
        ))}
        {own && (
          <label class="preset">
            <input type="radio" name="preset" checked={preset === ""} onChange={() => setPreset("")} />
            <strong>{t("first.own")}</strong>
            <span class="preset-text">{t("first.own.text")}</span>
          </label>
        )}
      </fieldset>
      {chosen && <p class="most">{chosen.most}</p>}
      <h2>{t("first.facts")}</h2>
      <ul class="chips">
        {setup.facts.map((f) => (
          <li key={f.name} class={f.known ? "chip" : "chip unknown"}>
            <svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
              <path d={f.known ? "M12 11v7M12 6v.5" : "M7.5 8.5a4.5 4.5 0 1 1 6.8 3.9C12.8 13.3 12 14 12 15.5M12 20v.5"} />
            </svg>
            {f.text}
          </li>
        ))}
      </ul>
      {setup.questions.map((q) => (
        <Question key={q.key} of={q} answer={answers[q.key]} onAnswer={(list) => setAnswers({ ...answers, [q.key]: list })} />
      ))}
      <p class="fine">{t("first.later")}</p>
    </Screen>
  );
}

interface QuestionProps {
  of: SetupQuestion;
  /** The values that are ticked, undefined where nothing was answered. */
  answer: string[] | undefined;
  onAnswer: (list: string[]) => void;
}

function Question({ of: q, answer, onAnswer }: QuestionProps) {
  const list = answer ?? q.choices.filter((c) => c.on).map((c) => c.value);
  const turn = (value: string, on: boolean) => onAnswer(q.choices.map((c) => c.value).filter((v) => (v === value ? on : list.includes(v))));
  const ticks = q.choices.map((c) => (
    <label key={c.value} class="tick">
      <input type="checkbox" checked={list.includes(c.value)} onChange={(e) => turn(c.value, e.currentTarget.checked)} />
      {c.text}
    </label>
  ));
  if (!q.title)
    return (
      <div class="mine">
        {ticks}
        <p class="fine">{q.text}</p>
      </div>
    );
  return (
    <details open={answer !== undefined}>
      <summary>{q.title}</summary>
      <p class="fine">{q.text}</p>
      <div class="ticks">{ticks}</div>
    </details>
  );
}

export interface ReadyProps {
  preset: string;
  /** Whether it is to start with the computer; undefined where that is no question. */
  startup: boolean | undefined;
  setStartup: (on: boolean) => void;
  fault: string;
  busy: boolean;
  onBack: () => void;
  onStart: () => void;
  onWait: () => void;
}

export function Ready({ preset, startup, setStartup, fault, busy, onBack, onStart, onWait }: ReadyProps) {
  return (
    <Screen
      title={t("first.ready")}
      step={4}
      onNext={onStart}
      onBack={onBack}
      next={t("first.start")}
      busy={busy}
      others={
        <button type="button" onClick={onWait} disabled={busy}>
          {t("first.wait")}
        </button>
      }
    >
      {preset && <p class="lead">{t("first.chosen", { preset })}</p>}
      <p class="lead">{t("first.ready.text")}</p>
      <p class="quiet">{t("first.ready.stop")}</p>
      {startup !== undefined && (
        <div class="mine">
          <label class="tick">
            <input type="checkbox" checked={startup} onChange={(e) => setStartup(e.currentTarget.checked)} />
            {t("startup.name")}
          </label>
          <p class="fine">{t("startup.text")}</p>
        </div>
      )}
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
    </Screen>
  );
}
