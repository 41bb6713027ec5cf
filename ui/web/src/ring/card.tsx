import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { clockTime, date, dateTime, lang, percent, t } from "../i18n";
import { onEvents, reachable, status, stopped } from "../live";
import { Card } from "../parts/card";
import { nickname, peerName, shortName } from "../parts/names";
import { attempt, say } from "../parts/toast";
import { languageName } from "../pages/mine/found";
import type { Ring } from "../types";
import "../style/ring.css";
import { useRing } from "./data";
import { Legend } from "./legend";
import { PageTree } from "./page";
import type { Captions } from "./paintbase";
import type { Mode, Scene, Spot } from "./scene";
import { RingLanguages } from "./languages";
import { Twin } from "./twin";
import { View } from "./view";

type Shown = Mode | "page";
const modes: Shown[] = ["ring", "swarm", "page"];
const modeKey = "forage.ring";
const pictureSide = 1600;
/** Where sites are only just coming, the ring is asked for every so many milliseconds. */
const often = 3000;

/** The whole space of keys as a circle, and what this node does in it. */
export function RingCard() {
  const ring = useRing();
  const [mode, setMode] = useState<Shown>(() => modes.find((m) => m === localStorage.getItem(modeKey)) ?? "ring");
  const view = useRef<View | null>(null);
  const choose = (to: Shown) => {
    localStorage.setItem(modeKey, to);
    setMode(to);
  };
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const to = modes[Number(e.key) - 1];
      if (!to || e.ctrlKey || e.altKey || e.metaKey || !mindful(box.current)) return;
      e.preventDefault();
      choose(to);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Card title={t("ring.title")} note={<Modes mode={mode} choose={choose} />}>
      <div class="ring" ref={box}>
        {mode === "page" ? <PageTree /> : <Picture ring={ring} mode={mode} view={view} />}
        {mode === "page" && <p class="ring-spot">{t("ring.tree.text")}</p>}
        {mode === "ring" && <RingLanguages of={ring.domains} />}
        {mode !== "page" && (
          <div class="ring-below">
            <Legend ring={ring} mode={mode} />
            <Twin />
            <button type="button" class="link ring-save" onClick={() => void save(view.current, ring)}>
              {t("ring.save")}
            </button>
          </div>
        )}
      </div>
    </Card>
  );
}

/** The picture alone, as it is at the moment. */
export function RingAlone() {
  const ring = useRing(often);
  const view = useRef<View | null>(null);
  return (
    <div class="ring">
      <Picture ring={ring} mode="ring" view={view} />
    </div>
  );
}

/** Whether the user is at the card, with the keyboard or the pointer: its keys are meant only then. */
function mindful(box: HTMLElement | null): boolean {
  const card = box?.closest("section");
  const at = document.activeElement;
  if (!card || at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement) return false;
  return card.contains(at) || card.matches(":hover");
}

function Modes({ mode, choose }: { mode: Shown; choose: (to: Shown) => void }) {
  return (
    <span class="ring-modes" role="group" aria-label={t("ring.modes")}>
      {modes.map((m, i) => (
        <button key={m} type="button" aria-pressed={m === mode} aria-keyshortcuts={String(i + 1)} onClick={() => choose(m)}>
          {t(`ring.mode.${m}`)}
        </button>
      ))}
    </span>
  );
}

/** Why the picture rests, "" while it does not. */
function resting(): string {
  if (!reachable.value) return t(stopped.value ? "stopped.short" : "lost.short");
  const s = status.value;
  if (!s || (s.state !== "paused" && s.state !== "stopping")) return "";
  return s.sentence || s.reasons?.join(" ") || t("ring.rests");
}

function Picture({ ring, mode, view }: { ring: Ring; mode: Mode; view: { current: View | null } }) {
  const base = useRef<HTMLCanvasElement>(null);
  const top = useRef<HTMLCanvasElement>(null);
  const [spot, setSpot] = useState<Spot | null>(null);
  const rest = resting();
  const spoken = lang.value;

  useLayoutEffect(() => {
    const v = new View(base.current!, top.current!, captions);
    view.current = v;
    const end = onEvents((list) => v.take(list));
    return () => {
      end();
      v.end();
      view.current = null;
    };
  }, []);
  useEffect(() => view.current!.list(ring), [ring]);
  useEffect(() => view.current!.mode(mode), [mode]);
  useEffect(() => view.current!.rest(rest), [rest]);
  useEffect(() => view.current!.caption(), [spoken]);
  useEffect(() => point(null), [mode]);

  const point = (to: Spot | null) => {
    setSpot(to);
    view.current?.point(to);
  };
  const onPointer = (e: PointerEvent) => {
    const box = top.current!.getBoundingClientRect();
    point(view.current!.hit({ x: e.clientX - box.left, y: e.clientY - box.top }));
  };
  const onKey = (e: KeyboardEvent) => {
    const move = moves[e.key];
    if (e.key === "Escape") point(null);
    else if (move && view.current) point(view.current.scene.next(move.from ? null : spot, move.way, move.arcs));
    else return;
    e.preventDefault();
  };

  const scene = view.current?.scene;
  const text = spot && scene ? spotText(scene, spot) : "";
  return (
    <>
      <div
        class="ring-picture"
        role="slider"
        tabIndex={0}
        aria-label={t("ring.label")}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round((spot?.at ?? 0) * 100)}
        aria-valuetext={text || summary(ring, mode, rest)}
        onKeyDown={onKey}
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onPointerLeave={(e) => e.pointerType === "mouse" && point(null)}
        onBlur={() => point(null)}
      >
        <canvas ref={base} aria-hidden="true" />
        <canvas ref={top} aria-hidden="true" />
      </div>
      <p class="ring-spot" aria-hidden="true">
        {text || summary(ring, mode, "")}
      </p>
    </>
  );
}

const moves: Record<string, { way: 1 | -1; arcs: boolean; from?: "nowhere" }> = {
  ArrowRight: { way: 1, arcs: false },
  ArrowUp: { way: 1, arcs: false },
  ArrowLeft: { way: -1, arcs: false },
  ArrowDown: { way: -1, arcs: false },
  PageUp: { way: 1, arcs: true },
  PageDown: { way: -1, arcs: true },
  Home: { way: 1, arcs: false, from: "nowhere" },
  End: { way: -1, arcs: false, from: "nowhere" },
};

const shareText = (share: number): string => percent(share, share < 0.1 ? 1 : 0);

function ownShare(ring: Ring): number {
  return ring.members.find((m) => m.self)?.share ?? 0;
}

const away = (ms: number): string => t("swarm.ms", { ms });

const captions: Captions = {
  away,
  name(m) {
    if (m.self) return [t("ring.you")];
    const end = m.away_ms < 0 ? shortName(m.id) : `${shortName(m.id)} · ${away(m.away_ms)}`;
    return [nickname(m.id), end].filter(Boolean);
  },
};

function summary(ring: Ring, mode: Mode, rest: string): string {
  if (mode === "swarm") return rest ? `${rest} ${reached(ring)}` : reached(ring);
  if (ring.domains.length === 0) return rest;
  const others = ring.members.some((m) => m.share > 0 && !m.self);
  const text = t(others ? "ring.summary" : "ring.summary.alone", { n: ring.domains.length, share: shareText(ownShare(ring)) });
  return rest ? `${rest} ${text}` : text;
}

/** How many of the other members are connected. */
function reached(ring: Ring): string {
  const others = ring.members.filter((m) => m.share > 0 && !m.self);
  return others.length > 0 ? t("ring.reached", { n: others.length, near: others.filter((m) => m.connected).length }) : t("ring.alone");
}

function spotText(scene: Scene, spot: Spot): string {
  const m = scene.members[spot.member];
  if (spot.star) {
    const pages = t("ring.pages", { n: spot.star.fetched });
    const last = spot.star.last;
    const text = last === null ? t("ring.spot.site", { domain: spot.star.domain, pages }) : t("ring.spot.visited", { domain: spot.star.domain, pages, when: when(last) });
    const language = languageName(spot.star.language, lang.value);
    return language ? `${text} ${t("ring.spot.language", { language })}` : text;
  }
  if (!m) return t("ring.spot.nobody");
  const share = shareText(m.share);
  if (m.self) return t("ring.spot.ours", { share });
  const text = t(m.connected ? "ring.spot.near" : "ring.spot.far", { peer: peerName(m.id), share });
  return m.away_ms < 0 ? text : `${text} ${t("ring.spot.away", { ms: m.away_ms })}`;
}

function when(at: number): string {
  return new Date(at).toDateString() === new Date().toDateString() ? clockTime(at) : dateTime(at);
}

async function save(view: View | null, ring: Ring): Promise<void> {
  if (!view) return;
  const words = t("ring.save.words", { date: date(Date.now()), n: ring.domains.length, share: shareText(ownShare(ring)) });
  const blob = await attempt(() => view.picture(pictureSide, words));
  if (!blob) return;
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = `forage-ring-${new Date().toISOString().slice(0, 10)}.png`;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60000);
  say(t("ring.saved"));
}
