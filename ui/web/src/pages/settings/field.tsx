import { useId } from "preact/hooks";
import { t } from "../../i18n";
import { say } from "../../parts/toast";
import type { Setting } from "../../types";
import { useDraft } from "./draft";
import { Editor } from "./editors";
import { save } from "./store";

interface FieldProps {
  setting: Setting;
  full?: boolean;
  /** What it is called here, and what is to be read with it. */
  label?: string;
  note?: string;
}

/** A setting with its editor. In full it says all that is known of it. */
export function Field({ setting: s, full = false, label: name = s.name, note = "" }: FieldProps) {
  const draft = useDraft(s);
  const id = useId();
  return (
    <div class={`field${s.set ? " set" : ""}${draft.saving ? " saving" : ""}`} id={full ? `set-${s.key}` : undefined} tabIndex={full ? -1 : undefined}>
      <div class="field-head">
        {full ? (
          <h3 id={`${id}-name`}>{name}</h3>
        ) : (
          <p class="field-name" id={`${id}-name`}>
            {name}
          </p>
        )}
        {full && <code class="key">{s.key}</code>}
        {s.applies === "restart" && !s.read_only && <span class={s.pending ? "badge pending" : "badge"}>{t(s.pending ? "set.pending" : "set.restart")}</span>}
        {s.set && !s.read_only && (
          <button type="button" class="reset" title={t("set.reset", { value: s.default_words })} onClick={() => void reset(s, draft.drop)}>
            <span class="dot" aria-hidden="true" />
            <span class="unseen">{t("set.reset.label", { name, value: s.default_words })}</span>
            <span aria-hidden="true">{t("set.reset.short")}</span>
          </button>
        )}
      </div>
      {full && (
        <p class="meaning" id={`${id}-meaning`}>
          {s.meaning}
        </p>
      )}
      <Editor setting={s} draft={draft} labelId={`${id}-name`} describedBy={`${id}-problem ${full ? `${id}-meaning ${id}-more` : ""}`.trim()} />
      {note && <p class="fine">{note}</p>}
      <div id={`${id}-problem`} aria-live="polite">
        {draft.problem && (
          <p class="fault">
            {sentence(draft.problem.text)}
            {draft.problem.range && !draft.problem.text.includes(draft.problem.range) && ` ${t("set.allowed", { range: draft.problem.range })}`}{" "}
            {t("set.inforce", { value: s.words })}
          </p>
        )}
      </div>
      {full && (
        <div class="more fine" id={`${id}-more`}>
          {s.why && <p>{s.why}</p>}
          <p>
            {t("set.default", { value: s.default_words })}
            {s.range && ` ${t("set.allowed", { range: s.range })}`}
          </p>
        </div>
      )}
    </div>
  );
}

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

async function reset(s: Setting, drop: () => void): Promise<void> {
  const wrong = await save({}, [s.key]);
  if (wrong) say(wrong.text, true);
  else drop();
}
