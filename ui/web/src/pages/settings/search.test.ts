import { expect, test } from "vitest";
import { search } from "./search";

const list = [
  { key: "data.month", name: "Daten im Monat", meaning: "Wie viel übers Netz geht.", why: "Tarife sind verschieden." },
  { key: "disk.max", name: "Festplatte", meaning: "Das Größte, was gespeichert wird.", why: "" },
];

test.each([
  ["", ["data.month", "disk.max"]],
  ["MONTH", ["data.month"]],
  ["ubers netz", ["data.month"]],
  ["größte", ["disk.max"]],
  ["grosste", ["disk.max"]],
  ["daten platte", []],
])("%j", (query, keys) => {
  expect(search(list, query).map((s) => s.key)).toEqual(keys);
});
