import { useEffect, useRef, useState } from "preact/hooks";
import type { Setting } from "../../types";
import { check, save, valueOf, type Problem, type Value } from "./store";

/** What is being done to a setting: until the node has answered, it is a draft. */
export interface Draft {
  /** What was typed and is not saved, null if nothing is. */
  value: Value | null;
  problem: Problem | null;
  saving: boolean;
  /** Takes what is typed, and has the node check it when the typing rests. */
  type: (value: Value) => void;
  /** Saves a value, or what was typed. */
  save: (value?: Value) => void;
  /** Saves a value when nothing follows it for a moment. */
  saveSoon: (value: Value) => void;
  /** Goes back to the node's value. */
  drop: () => void;
}

const rest = 350;
const soon = 700;

export function useDraft(s: Setting): Draft {
  const [value, setValue] = useState<Value | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [saving, setSaving] = useState(false);
  const timer = useRef(0);
  const turn = useRef(0);
  const waiting = useRef<Value | null>(null);

  const begin = () => {
    clearTimeout(timer.current);
    waiting.current = null;
    return ++turn.current;
  };

  const drop = () => {
    begin();
    setValue(null);
    setProblem(null);
  };

  const store = async (to: Value) => {
    const mine = begin();
    if (same(to, valueOf(s))) {
      drop();
      return;
    }
    setValue(to);
    setSaving(true);
    const wrong = await save({ [s.key]: to });
    if (mine !== turn.current) return; // something newer was typed
    setSaving(false);
    setProblem(wrong);
    if (!wrong) setValue(null);
  };

  // What is about to be saved is saved even if the page is left.
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      if (waiting.current !== null) void save({ [s.key]: waiting.current });
    },
    [s.key],
  );

  return {
    value,
    problem,
    saving,
    drop,
    type: (to) => {
      const mine = begin();
      setValue(to);
      setSaving(false);
      timer.current = window.setTimeout(async () => {
        const wrong = same(to, valueOf(s)) ? null : await check(s.key, to);
        if (mine === turn.current) setProblem(wrong);
      }, rest);
    },
    save: (to) => {
      const what = to ?? value;
      if (what !== null) void store(what);
    },
    saveSoon: (to) => {
      begin();
      setValue(to);
      setProblem(null);
      waiting.current = to;
      timer.current = window.setTimeout(() => void store(to), soon);
    },
  };
}

const same = (a: Value, b: Value): boolean => JSON.stringify(a) === JSON.stringify(b);
