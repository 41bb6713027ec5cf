import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface Item {
  text: string;
  act: () => void;
}

/** A button that opens a list of actions (WAI-ARIA menu button pattern). */
export function Menu({ label, items, kind = "" }: { label: ComponentChildren; items: Item[]; kind?: string }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    if (!open) return;
    entries(root.current)[0]?.focus();
    const outside = (e: Event) => {
      if (!root.current?.contains(e.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);

  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };

  const onKey = (e: KeyboardEvent) => {
    const list = entries(root.current);
    const at = list.indexOf(document.activeElement as HTMLElement);
    const to: Record<string, number> = {
      ArrowDown: (at + 1) % list.length,
      ArrowUp: (at - 1 + list.length) % list.length,
      Home: 0,
      End: list.length - 1,
    };
    if (e.key === "Escape") close();
    else if (e.key === "Tab") setOpen(false);
    else if (e.key in to) list[to[e.key]!]?.focus();
    else return;
    if (e.key !== "Tab") e.preventDefault();
  };

  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        class={kind}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        onKeyDown={(e) => {
          if (e.key === "ArrowDown" && !open) {
            e.preventDefault();
            setOpen(true);
          }
        }}
      >
        {label}
        <span class="caret" aria-hidden="true" />
      </button>
      {open && (
        <ul role="menu" id={id} onKeyDown={onKey}>
          {items.map((item) => (
            <li key={item.text} role="none">
              <button
                type="button"
                role="menuitem"
                tabIndex={-1}
                onClick={() => {
                  close();
                  item.act();
                }}
              >
                {item.text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function entries(root: HTMLElement | null): HTMLElement[] {
  return root ? [...root.querySelectorAll<HTMLElement>('[role="menuitem"]')] : [];
}
