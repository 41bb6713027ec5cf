// Values in words.

import { bytes, dateTime, duration, number, t } from "../../i18n";
import { summaryText } from "../../parts/weekgrid";
import { parse } from "../../parts/week";
import type { Setting } from "../../types";

/** The value of a setting, or its default, in words. */
export function inWords(s: Setting, what: "value" | "default" = "value"): string {
  const value = what === "value" ? s.value : s.default;
  const text = what === "value" ? s.text : s.default_text;
  switch (s.type) {
    case "yes or no":
      return t(value === true ? "set.yes" : "set.no");
    case "size":
    case "whole number":
      return amountText(s, value, text);
    case "length of time":
      return typeof value === "number" ? duration(value) : text;
    case "list":
      return listText(s, value);
    case "week":
      return weekText(text);
    case "time":
      return text === "" ? t("set.none") : dateTime(text);
    default:
      return text === "" ? t("set.none") : choiceText(s, text);
  }
}

function amountText(s: Setting, value: unknown, text: string): string {
  if (typeof value !== "number") return text;
  if (s.no_limit && value < 0) return t("set.nolimit");
  if (s.no_limit && value === 0) return t("set.stop");
  if (s.type === "size") return bytes(value);
  return s.unit ? `${number(value)}\u00a0${s.unit}` : number(value);
}

export function choiceText(s: Setting, choice: string): string {
  const name = s.choice_names[s.choices.indexOf(choice)];
  return name && !name.startsWith("settings.choice.") ? name : choice;
}

function listText(s: Setting, value: unknown): string {
  const list = Array.isArray(value) ? (value as string[]) : [];
  return list.length === 0 ? t("set.list.empty") : list.map((item) => choiceText(s, item)).join(", ");
}

function weekText(text: string): string {
  if (text === "work") return t("set.week.same");
  const week = parse(text);
  return week ? summaryText(week).replace(/\.$/, "") : text; // it stands within a sentence
}
