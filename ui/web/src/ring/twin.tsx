import { useLayoutEffect, useState } from "preact/hooks";
import { t } from "../i18n";
import { events, onEvents } from "../live";
import type { Event } from "../types";
import { told, toldAt } from "./words";

const shown = 12;
/** A screen reader that speaks of every event would never be silent. */
const every = 5000;

/** The events of the picture as a list of words, when somebody wants it. */
export function Twin() {
  const [open, setOpen] = useState(false);
  return (
    <details class="ring-more" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{t("ring.words")}</summary>
      {open && <Told />}
    </details>
  );
}

function Told() {
  const [list, setList] = useState<Event[]>(latest);
  useLayoutEffect(() => {
    let timer = 0;
    const end = onEvents(() => {
      if (timer === 0) {
        timer = window.setTimeout(() => {
          timer = 0;
          setList(latest());
        }, every);
      }
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  return (
    <ol class="ring-told" aria-live="polite" aria-relevant="additions">
      {list.length === 0 && <li class="empty">{t("ring.words.none")}</li>}
      {list.map((e) => (
        <li key={`${e.id} ${e.time}`}>
          <time dateTime={e.time}>{toldAt(e)}</time> <span>{told(e)}</span>
        </li>
      ))}
    </ol>
  );
}

/** The latest, without changes of state, which the line at the top says: that nobody is in the network is one of them. */
const latest = (): Event[] =>
  events.value
    .filter((e) => e.code !== "state" && !(e.code === "swarm" && e.count === 0))
    .slice(-shown)
    .reverse();
