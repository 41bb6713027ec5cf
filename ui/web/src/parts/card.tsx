import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A part of a page with a heading. */
export function Card({ title, note, wide = false, children }: { title: string; note?: ComponentChildren; wide?: boolean; children: ComponentChildren }) {
  const id = useId();
  return (
    <section class={wide ? "card wide" : "card"} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note !== undefined && <p class="note">{note}</p>}
      </header>
      {children}
    </section>
  );
}

/** A number with what it counts. */
export function Figure({ value, text, hint }: { value: string; text: string; hint?: string }) {
  return (
    <div class="figure">
      <dt>{text}</dt>
      <dd>{value}</dd>
      {hint && <dd class="hint">{hint}</dd>}
    </div>
  );
}
