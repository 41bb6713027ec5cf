// One editor for each type of setting. They show the draft if there is one, and else the node's value.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../../i18n";
import { WeekGrid } from "../../parts/weekgrid";
import { format, fromRows, parse, whole } from "../../parts/week";
import type { Setting } from "../../types";
import { join, sizeUnits, splitSize, splitTime, timeUnits } from "./amount";
import type { Draft } from "./draft";
import { choiceText, inWords } from "./words";
import { find, nameOf } from "./store";

export interface EditorProps {
  setting: Setting;
  draft: Draft;
  /** The element that names the editor, and those that explain it. */
  labelId: string;
  describedBy: string;
}

export function Editor(props: EditorProps) {
  const { setting: s } = props;
  if (s.read_only) return <p class="read-only">{inWords(s)}</p>;
  switch (s.type) {
    case "yes or no":
      return <Switch {...props} />;
    case "choice":
    case "level":
      return <Choice {...props} />;
    case "whole number":
      return <Whole {...props} />;
    case "size":
      return <Measured {...props} split={splitSize} units={sizeUnits} />;
    case "length of time":
      return <Measured {...props} split={splitTime} units={timeUnits} />;
    case "list":
      return s.choices.length > 0 ? <Ticks {...props} /> : <List {...props} />;
    case "week":
      return <WeekEditor {...props} />;
    default:
      return s.choices.length > 0 ? <Choice {...props} /> : <Text {...props} />;
  }
}

const textOf = ({ setting, draft }: EditorProps): string => (typeof draft.value === "string" ? draft.value : setting.text);

const listOf = ({ setting, draft }: EditorProps): string[] =>
  Array.isArray(draft.value) ? draft.value : Array.isArray(setting.value) ? (setting.value as string[]) : [];

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
  const choices = s.choices.length > 0 ? s.choices : s.type === "level" ? ["off", "gentle", "full"] : [is];
  return (
    <select value={is} {...named(props)} onChange={(e) => draft.saveSoon(e.currentTarget.value)}>
      {choices.map((c) => (
        <option key={c} value={c}>
          {choiceText(s, c)}
        </option>
      ))}
    </select>
  );
}

function Whole(props: EditorProps) {
  const { setting: s, draft } = props;
  const is = textOf(props);
  const share = s.unit === "%" && s.min !== null && s.max !== null;
  if (is === "-1" && s.no_limit) return <NoLimit {...props} />;
  return (
    <div class="amount">
      {share && (
        <input
          type="range"
          min={s.min!}
          max={s.max!}
          value={is}
          {...named(props)}
          onInput={(e) => draft.saveSoon(e.currentTarget.value)}
        />
      )}
      <Typing draft={draft}>
        <input
          type="text"
          inputMode="numeric"
          class="short"
          value={is}
          {...named(props)}
          aria-label={share ? t("set.exact", { name: nameOf(s) }) : undefined}
          onInput={(e) => draft.type(e.currentTarget.value.trim())}
        />
        {s.unit && <span class="unit">{s.unit}</span>}
      </Typing>
      {s.no_limit && <NoLimit {...props} />}
    </div>
  );
}

/** Takes a limit away, or sets one again. */
function NoLimit({ setting: s, draft }: EditorProps) {
  const none = (draft.value ?? s.text) === "-1";
  const again = () => {
    if (s.text !== "-1") return s.text;
    if (s.default_text !== "-1") return s.default_text;
    return s.type === "size" ? "10 GB" : String(s.max ?? 100);
  };
  return (
    <label class="tick">
      <input type="checkbox" checked={none} aria-label={t("set.nolimit.label", { name: nameOf(s) })} onChange={() => draft.save(none ? again() : "-1")} />
      {t("set.nolimit")}
    </label>
  );
}

interface MeasuredProps extends EditorProps {
  split: typeof splitSize;
  units: string[];
}

function Measured({ split, units, ...props }: MeasuredProps) {
  const { setting: s, draft } = props;
  const is = textOf(props);
  if (is === "-1" && s.no_limit) return <NoLimit {...props} />;
  const amount = split(is);
  const all = units.includes(amount.unit) || amount.unit === "" ? units : [amount.unit, ...units];
  return (
    <div class="amount">
      <Typing draft={draft}>
        <input
          type="text"
          inputMode="decimal"
          class="short"
          value={amount.number}
          {...named(props)}
          onInput={(e) => draft.type(join({ number: e.currentTarget.value, unit: amount.unit }))}
        />
        <select
          value={amount.unit}
          aria-label={t("set.unit", { name: nameOf(s) })}
          onChange={(e) => draft.type(join({ number: amount.number, unit: e.currentTarget.value }))}
        >
          {all.map((unit) => (
            <option key={unit} value={unit}>
              {s.type === "size" ? unit : t(`set.time.${unit}`)}
            </option>
          ))}
        </select>
      </Typing>
      {s.no_limit && <NoLimit {...props} />}
    </div>
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
      {s.choices.map((c) => (
        <label key={c} class="tick">
          <input type="checkbox" checked={list.includes(c)} onChange={(e) => turn(c, e.currentTarget.checked)} />
          {choiceText(s, c)}
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
          aria-label={t("set.list.new", { name: nameOf(s) })}
          onInput={(e) => setItem(e.currentTarget.value)}
        />
        <button type="submit" disabled={item.trim() === ""}>
          {t("set.list.add")}
        </button>
      </form>
    </div>
  );
}

const sameAsWork = "work";

function WeekEditor(props: EditorProps) {
  const { setting: s, draft } = props;
  const is = textOf(props);
  const same = is === sameAsWork;
  const week = (draft.value === null ? fromRows(s.levels) : null) ?? parse(is) ?? fromRows(s.levels) ?? whole(2);
  const hours = find("schedule.work")?.text ?? "all full";
  return (
    <>
      {s.default_text === sameAsWork && (
        <label class="tick">
          <input type="checkbox" checked={same} onChange={() => draft.save(same ? hours : sameAsWork)} />
          {t("set.week.same")}
        </label>
      )}
      {!same && <WeekGrid week={week} label={nameOf(s)} onPaint={(to) => draft.saveSoon(format(to))} />}
    </>
  );
}
