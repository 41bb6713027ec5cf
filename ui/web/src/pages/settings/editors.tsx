// One editor for each type of setting. They show the draft if there is one, and else the node's value.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../../i18n";
import { WeekGrid } from "../../parts/weekgrid";
import { fromRows, toRows, whole } from "../../parts/week";
import type { Setting } from "../../types";
import type { Draft } from "./draft";

export interface EditorProps {
  setting: Setting;
  draft: Draft;
  /** The element that names the editor, and those that explain it. */
  labelId: string;
  describedBy: string;
}

/** What is not here is free text. */
const editors: Record<string, (props: EditorProps) => ComponentChildren> = {
  said: ({ setting: s }) => <p class="read-only">{s.words}</p>,
  switch: Switch,
  choice: Choice,
  ticks: Ticks,
  list: List,
  amount: Amount,
  share: Amount,
  week: WeekEditor,
  text: Text,
};

export function Editor(props: EditorProps) {
  const Control = editors[props.setting.control] ?? Text;
  return <Control {...props} />;
}

const textOf = ({ setting, draft }: EditorProps): string => (typeof draft.value === "string" ? draft.value : setting.text);

const listOf = ({ setting, draft }: EditorProps): string[] =>
  Array.isArray(draft.value) ? (draft.value as string[]) : Array.isArray(setting.value) ? (setting.value as string[]) : [];

const named = ({ labelId, describedBy, draft }: EditorProps) => ({
  "aria-labelledby": labelId,
  "aria-describedby": describedBy,
  "aria-invalid": draft.problem !== null,
});

const grouped = ({ labelId, describedBy }: EditorProps) => ({ "aria-labelledby": labelId, "aria-describedby": describedBy });

/** Saves what was typed when Enter is pressed or the focus leaves, and forgets it at Escape. */
function Typing({ draft, class: kind = "", children }: { draft: Draft; class?: string; children: ComponentChildren }) {
  return (
    <div
      class={`typing ${kind}`}
      onFocusOut={(e) => {
        if (!e.currentTarget.contains(e.relatedTarget as Node | null)) draft.save();
      }}
      onKeyDown={(e) => {
        if (e.key === "Enter" && (e.target as HTMLElement).tagName !== "BUTTON") {
          e.preventDefault();
          draft.save();
        } else if (e.key === "Escape") draft.drop();
      }}
    >
      {children}
    </div>
  );
}

function Switch(props: EditorProps) {
  const { setting: s, draft } = props;
  const on = draft.value === null ? s.value === true : draft.value === "yes";
  return (
    <label class="switch">
      <input type="checkbox" role="switch" checked={on} {...named(props)} onChange={(e) => draft.save(e.currentTarget.checked ? "yes" : "no")} />
      <span aria-hidden="true">{t(on ? "set.yes" : "set.no")}</span>
    </label>
  );
}

function Choice(props: EditorProps) {
  const { setting: s, draft } = props;
  const is = textOf(props);
  return (
    <select value={is} {...named(props)} onChange={(e) => draft.saveSoon(e.currentTarget.value)}>
      {s.choices.map((c, i) => (
        <option key={c} value={c}>
          {s.choice_names[i]}
        </option>
      ))}
    </select>
  );
}

const noLimit = "-1";

/** A number, with a slider for a share, a choice of units where there are several, and a box for no limit. */
function Amount(props: EditorProps) {
  const { setting: s, draft } = props;
  if (s.no_limit && textOf(props) === noLimit) return <NoLimit {...props} />;
  const [number, unit] = parts(props);
  const share = s.control === "share" && s.min !== null && s.max !== null;
  return (
    <div class="amount">
      {share && (
        <input type="range" min={s.min!} max={s.max!} value={number} {...named(props)} onInput={(e) => draft.saveSoon(e.currentTarget.value)} />
      )}
      <Typing draft={draft}>
        <input
          type="text"
          inputMode={s.units.length > 0 ? "decimal" : "numeric"}
          class="short"
          value={number}
          {...named(props)}
          aria-label={share ? t("set.exact", { name: s.name }) : undefined}
          onInput={(e) => draft.type(join(e.currentTarget.value, unit))}
        />
        {s.units.length > 0 ? (
          <select value={unit} aria-label={t("set.unit", { name: s.name })} onChange={(e) => draft.type(join(number, e.currentTarget.value))}>
            {s.units.map((u) => (
              <option key={u.text} value={u.text}>
                {u.name}
              </option>
            ))}
          </select>
        ) : (
          s.unit && <span class="unit">{s.unit}</span>
        )}
      </Typing>
      {s.no_limit && <NoLimit {...props} />}
    </div>
  );
}

const join = (number: string, unit: string): string => (unit ? `${number} ${unit}` : number.trim());

/** The number and the unit that are shown. What is typed was joined of both. */
function parts({ setting: s, draft }: EditorProps): [number: string, unit: string] {
  if (typeof draft.value !== "string" || draft.value === noLimit) return [s.number, s.number_unit];
  const cut = s.units.length > 0 ? draft.value.lastIndexOf(" ") : -1;
  return cut < 0 ? [draft.value, s.number_unit] : [draft.value.slice(0, cut), draft.value.slice(cut + 1)];
}

/** Takes a limit away, or sets one again. */
function NoLimit({ setting: s, draft }: EditorProps) {
  const none = (draft.value ?? s.text) === noLimit;
  return (
    <label class="tick">
      <input type="checkbox" checked={none} aria-label={t("set.nolimit.label", { name: s.name })} onChange={() => draft.save(none ? s.limit : noLimit)} />
      {t("set.nolimit")}
    </label>
  );
}

function Text(props: EditorProps) {
  const { draft } = props;
  return (
    <Typing draft={draft} class="long">
      <input type="text" spellcheck={false} autocomplete="off" value={textOf(props)} {...named(props)} onInput={(e) => draft.type(e.currentTarget.value)} />
    </Typing>
  );
}

/** A list of which each item is one of a few. */
function Ticks(props: EditorProps) {
  const { setting: s, draft } = props;
  const list = listOf(props);
  const turn = (choice: string, on: boolean) => draft.saveSoon(s.choices.filter((c) => (c === choice ? on : list.includes(c))));
  return (
    <div class="ticks" role="group" {...grouped(props)}>
      {s.choices.map((c, i) => (
        <label key={c} class="tick">
          <input type="checkbox" checked={list.includes(c)} onChange={(e) => turn(c, e.currentTarget.checked)} />
          {s.choice_names[i]}
        </label>
      ))}
    </div>
  );
}

function List(props: EditorProps) {
  const { setting: s, draft } = props;
  const [item, setItem] = useState("");
  const list = listOf(props);
  const add = () => {
    const more = item
      .split("\n")
      .map((x) => x.trim())
      .filter((x) => x !== "" && !list.includes(x));
    setItem("");
    if (more.length > 0) draft.save([...list, ...more]);
  };
  return (
    <div class="list" role="group" {...grouped(props)}>
      {list.length > 0 && (
        <ul>
          {list.map((x) => (
            <li key={x}>
              <span>{x}</span>
              <button type="button" class="plain" aria-label={t("set.list.remove", { item: x })} onClick={() => draft.save(list.filter((other) => other !== x))}>
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(e) => {
          e.preventDefault();
          add();
        }}
      >
        <input
          type="text"
          spellcheck={false}
          autocomplete="off"
          value={item}
          aria-label={t("set.list.new", { name: s.name })}
          onInput={(e) => setItem(e.currentTarget.value)}
        />
        <button type="submit" disabled={item.trim() === ""}>
          {t("set.list.add")}
        </button>
      </form>
    </div>
  );
}

function WeekEditor(props: EditorProps) {
  const { setting: s, draft } = props;
  const painted = Array.isArray(draft.value);
  const same = s.same_as !== "" && (draft.value ?? s.text) === s.same_as;
  const week = fromRows(painted ? (draft.value as number[][]) : s.levels) ?? whole(2);
  return (
    <>
      {s.same_as && (
        <label class="tick">
          <input type="checkbox" checked={same} onChange={() => draft.save(same ? s.levels : s.same_as)} />
          {t("set.week.same")}
        </label>
      )}
      {!same && <WeekGrid week={week} label={s.name} summary={painted ? "" : `${s.words}.`} onPaint={(to) => draft.saveSoon(toRows(to))} />}
    </>
  );
}
