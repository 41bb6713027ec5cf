// The picture on the page: two canvases, one for what stays and above it one for what flies, drawn only when something
// changed, and not at all while nobody looks.

import type { Event, Ring } from "../types";
import { Credit, due } from "./frames";
import type { Disc, Point } from "./geometry";
import { font, inkOf, type Ink } from "./ink";
import { ghostOf, Marks, markOf, starts, titleOf } from "./marks";
import { discOf, paintArcs, paintDusk, paintHub, paintStars, paintSwarm, type Captions } from "./paintbase";
import { paintMark, paintSpot, type Patch } from "./paintmarks";
import { Scene, type Mode, type Spot } from "./scene";

/** More than a busy node does in the seconds that a mark lives, and little to draw. */
const mostMarks = 120;
const sharpest = 2;
/** A saved picture looks like one of so many pixels on the page, only sharper. */
const pictureSide = 520;
/** Sites age: without any event the picture is drawn anew after this, in milliseconds. */
const ageEvery = 60000;
/** While nothing happens, a visit of the past is remembered so often. */
const ghostEvery = 5000;
/** What stays is drawn anew at most so often; with many sites, which take longer, more rarely. */
const baseEvery = 1000;
const baseEveryMany = 3000;
const manyStars = 300;

export class View {
  readonly scene = new Scene();
  private marks = new Marks(mostMarks);
  private credit = new Credit();
  private patches: Patch[] = [];
  private spot: Spot | null = null;
  private ink!: Ink;
  private side = 0;
  private sharp = 1;
  private arcs: OffscreenCanvas | null = null;
  private arcsOf = "";
  private baseLast = -Infinity;
  private changed = true;
  private asked = true;
  private last = -Infinity;
  private timer = 0;
  private frame = 0;
  private inView = false;
  private ghosts = 0;
  /** When the last title began. */
  private titled = -Infinity;
  private readonly undo: (() => void)[] = [];
  private readonly motion = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(
    private readonly base: HTMLCanvasElement,
    private readonly top: HTMLCanvasElement,
    private readonly captions: Captions,
  ) {
    const seen = new IntersectionObserver((entries) => {
      this.inView = entries.at(-1)!.isIntersecting;
      this.soon();
    });
    seen.observe(base);
    const sized = new ResizeObserver(() => this.measure());
    sized.observe(base);
    const aged = window.setInterval(() => this.change(), ageEvery);
    const ghosts = window.setInterval(() => this.remember(), ghostEvery);
    this.undo.push(() => seen.disconnect(), () => sized.disconnect(), () => clearInterval(aged), () => clearInterval(ghosts));
    this.hear(document, "visibilitychange", () => this.soon());
    this.hear(matchMedia("(prefers-color-scheme: dark)"), "change", () => this.renew());
    this.hear(this.motion, "change", () => this.renew());
    this.measure();
  }

  private hear(on: EventTarget, name: string, what: () => void): void {
    on.addEventListener(name, what);
    this.undo.push(() => on.removeEventListener(name, what));
  }

  end(): void {
    this.stop();
    for (const undo of this.undo) undo();
  }

  list(ring: Ring): void {
    this.scene.list(ring);
    const state = `${ring.version} ${ring.members.map((m) => (m.connected ? 1 : 0)).join("")}`;
    if (state !== this.arcsOf) this.arcs = null;
    this.arcsOf = state;
    this.change();
  }

  mode(mode: Mode): void {
    if (this.scene.mode === mode) return;
    this.scene.mode = mode;
    this.spot = null;
    this.marks.clear();
    this.renew();
  }

  /** Freezes the picture for a reason, or wakes it with "". */
  rest(reason: string): void {
    if (this.scene.dusk === reason) return;
    this.scene.dusk = reason;
    if (reason) this.marks.clear();
    this.ask();
  }

  /** Writes the words again, in another language. */
  caption(): void {
    this.ask();
  }

  take(events: readonly Event[]): void {
    for (const e of events) this.changed = this.scene.stars.note(e) || this.changed;
    if (this.watched() && !this.scene.dusk) {
      const map = this.scene.map();
      const begins = starts(events, performance.now(), Date.now());
      events.forEach((e, i) => {
        const begin = begins[i];
        const mark = begin === null || begin === undefined ? null : markOf(e, map, begin);
        if (!mark) return;
        this.marks.add(mark);
        const title = titleOf(e, mark, this.titled);
        if (!title) return;
        this.titled = title.begin;
        this.marks.add(title);
      });
    }
    this.soon();
  }

  /** Shows the ghost of a visit, unless something happens or is looked at. */
  private remember(): void {
    if (!this.watched() || this.motion.matches || this.spot || this.scene.mode !== "ring" || this.marks.count(performance.now()) > 0) return;
    const star = this.scene.stars.remembered(this.ghosts++);
    if (!star) return;
    this.marks.add(ghostOf(star, performance.now()));
    this.soon();
  }

  point(spot: Spot | null): void {
    this.spot = spot;
    this.asked = true;
    this.soon();
  }

  hit(p: Point): Spot | null {
    return this.scene.hit(this.disc, p);
  }

  private get disc(): Disc {
    return discOf(this.side, this.scene.mode);
  }

  private watched(): boolean {
    return this.inView && document.visibilityState === "visible";
  }

  private change(): void {
    this.changed = true;
    this.soon();
  }

  private ask(): void {
    this.asked = this.changed = true;
    this.baseLast = -Infinity;
    this.soon();
  }

  private renew(): void {
    this.arcs = null;
    this.ask();
  }

  private measure(): void {
    const side = Math.round(this.base.clientWidth);
    const sharp = Math.min(sharpest, devicePixelRatio || 1);
    if (side === 0 || (side === this.side && sharp === this.sharp)) return;
    this.side = side;
    this.sharp = sharp;
    for (const canvas of [this.base, this.top]) canvas.width = canvas.height = Math.round(side * sharp);
    this.patches = [];
    this.renew();
  }

  private stop(): void {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.timer = this.frame = 0;
  }

  /** Arranges for the next frame, if one is due. */
  private soon(): void {
    const now = performance.now();
    const wait = due(
      {
        visible: this.watched() && this.side > 0,
        still: this.motion.matches,
        // What was drawn is still to be wiped out when its time is over.
        moving: this.marks.count(now) || (this.patches.length > 0 && !this.spot ? 1 : 0),
        changed: this.changed,
        asked: this.asked,
        last: this.last,
        credit: this.credit.left,
      },
      now,
    );
    this.stop();
    if (wait === null) return;
    const draw = () => {
      this.frame = requestAnimationFrame((at) => this.draw(at));
    };
    if (wait < 4) draw();
    else this.timer = window.setTimeout(draw, wait);
  }

  private draw(now: number): void {
    if (this.changed && now - this.baseLast >= (this.scene.stars.size > manyStars ? baseEveryMany : baseEvery)) {
      this.paintBase();
      this.baseLast = now;
      this.changed = false;
    }
    this.paintTop(now);
    this.last = now;
    this.credit.spend(now);
    this.asked = false;
    this.soon();
  }

  private paintBase(): void {
    this.ink = inkOf(this.base);
    const c = this.base.getContext("2d")!;
    this.arcs ??= this.paintedArcs();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.base.width, this.base.height);
    c.drawImage(this.arcs, 0, 0);
    c.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    paintLasting(c, this.disc, this.scene, this.ink, this.captions);
  }

  private paintedArcs(): OffscreenCanvas {
    const canvas = new OffscreenCanvas(this.base.width, this.base.height);
    const c = canvas.getContext("2d")!;
    c.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    paintArcs(c, this.disc, this.scene, this.ink);
    return canvas;
  }

  private paintTop(now: number): void {
    const c = this.top.getContext("2d")!;
    c.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    for (const patch of this.patches) c.clearRect(...patch);
    this.patches = [];
    const disc = this.disc;
    for (const mark of this.marks.at(now)) {
      const patch = paintMark(c, disc, mark, now, this.ink, this.motion.matches);
      if (patch) this.patches.push(patch);
    }
    if (this.spot) this.patches.push(paintSpot(c, disc, this.scene, this.spot, this.ink));
  }

  /** The picture as it lasts, with a line of words below it, as a file. */
  async picture(side: number, words: string): Promise<Blob> {
    const below = Math.round(side * 0.07);
    const canvas = new OffscreenCanvas(side, side + below);
    const c = canvas.getContext("2d")!;
    const ink = inkOf(this.base);
    c.fillStyle = getComputedStyle(this.base).getPropertyValue("--card").trim() || ink.ground;
    c.fillRect(0, 0, side, side + below);
    c.scale(side / pictureSide, side / pictureSide);
    const disc = discOf(pictureSide, this.scene.mode);
    paintArcs(c, disc, this.scene, ink);
    paintLasting(c, disc, this.scene, ink, this.captions);
    c.fillStyle = ink.soft;
    c.font = font(12);
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillText(words, pictureSide / 2, pictureSide * 1.02, pictureSide * 0.94);
    return canvas.convertToBlob({ type: "image/png" });
  }
}

function paintLasting(c: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D, d: Disc, scene: Scene, ink: Ink, words: Captions): void {
  if (scene.mode === "ring") {
    if (!scene.dusk) paintHub(c, d, scene.fill, ink);
    paintStars(c, d, scene, ink, Date.now());
  } else if (scene.arcs.length > 0) paintSwarm(c, d, scene, ink, words);
  if (scene.dusk) paintDusk(c, d, scene.dusk, ink);
}
