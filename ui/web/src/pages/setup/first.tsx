import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { duration, has, isolated, t } from "../../i18n";
import { events, onEvents, status } from "../../live";
import type { Event } from "../../types";
import { pathOf } from "../../parts/names";
import { RingAlone } from "../../ring/card";

/** The first page, as soon as there is one; until then, what happens. */
export function FirstPage({ since, onDone }: { since: number; onDone: () => void }) {
  const [page, setPage] = useState<Event | null>(() => firstPage(events.value, since));
  const [latest, setLatest] = useState<Event[]>([]);
  const [now, setNow] = useState(Date.now());
  const heading = useRef<HTMLHeadingElement>(null);

  useLayoutEffect(
    () =>
      onEvents((fresh) => {
        setPage((is) => is ?? firstPage(fresh, since));
        setLatest((list) => [...list, ...fresh.filter((e) => tellable(e) && Date.parse(e.time) >= since - slack)].slice(-kept));
      }),
    [],
  );
  useEffect(() => {
    if (page) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [page]);
  useEffect(() => heading.current?.focus(), [page]);

  const waited = (now - since) / 1000;
  return (
    <div
      class="screen first"
      onKeyDown={(e) => {
        if (e.key === "Enter" && e.target === heading.current) onDone();
      }}
    >
      <RingAlone />
      {page ? (
        <>
          <p class="progress">{t("first.page.lead")}</p>
          <h1 tabIndex={-1} ref={heading} class="first-title">
            <bdi>{page.title || pathOf(page.url)}</bdi>
          </h1>
          <p class="first-site">{page.domain}</p>
          {page.first && <p class="lead">{t("first.page.first")}</p>}
          <p class="lead">{t("first.page.stored")}</p>
          <Happening list={latest.filter((e) => e.id > page.id)} />
        </>
      ) : (
        <>
          <h1 tabIndex={-1} ref={heading}>
            {t("first.page.waiting")}
          </h1>
          <p class="quiet first-says">{status.value?.sentence}</p>
          <Happening list={latest} />
          {waited > 20 && <p class="fine">{t("first.page.patience", { time: duration(waited) })}</p>}
        </>
      )}
      <div class="screen-acts">
        <span class="space" />
        <button type="button" class={page ? "main" : ""} onClick={onDone}>
          {t(page ? "first.see" : "first.page.skip")}
        </button>
      </div>
    </div>
  );
}

const kept = 5;

function Happening({ list }: { list: Event[] }) {
  return (
    <ol class="happening">
      {list.map((e) => (
        <li key={e.id}>{eventText(e)}</li>
      ))}
    </ol>
  );
}

/** Clocks of page and node may differ by a little when they are not of the same computer. */
const slack = 2000;

function firstPage(list: readonly Event[], since: number): Event | null {
  return list.find((e) => e.code === "fetched" && Date.parse(e.time) >= since - slack) ?? null;
}

const tellable = (e: Event): boolean => e.domain !== "" && has(`first.event.${e.code}`);

const eventText = (e: Event): string => t(`first.event.${e.code}`, { domain: e.domain, title: isolated(e.title || pathOf(e.url)) });
