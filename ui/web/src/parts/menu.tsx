import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface Item {
  text: string;
  act: () => void;
}

interface MenuProps {
  label: ComponentChildren;
  items: Item[];
  /** "main" stands out; "dots" is one of many, whose list is above whatever it stands in. */
  kind?: "" | "main" | "dots";
  /** What it is called where its label does not tell. */
  name?: string;
}

/** A button that opens a list of actions (WAI-ARIA menu button pattern). */
export function Menu({ label, items, kind = "", name }: MenuProps) {
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState<{ top: string; right: string } | undefined>();
  const root = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    if (!open) return;
    entries(root.current)[0]?.focus();
    const outside = (e: Event) => {
      if (!root.current?.contains(e.target as Node)) setOpen(false);
    };
    const moved = () => kind === "dots" && setOpen(false);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("scroll", moved, true);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("scroll", moved, true);
    };
  }, [open]);

  const toggle = (to: boolean) => {
    if (to && kind === "dots") setPlace(beside(root.current!.getBoundingClientRect(), items.length));
    setOpen(to);
  };

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
        class={kind === "dots" ? "plain dots" : kind}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => toggle(!open)}
        onKeyDown={(e) => {
          if (e.key === "ArrowDown" && !open) {
            e.preventDefault();
            toggle(true);
          }
        }}
      >
        {label}
        {kind !== "dots" && <span class="caret" aria-hidden="true" />}
      </button>
      {open && (
        <ul role="menu" id={id} class={kind === "dots" ? "above" : ""} style={place} onKeyDown={onKey}>
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

/** Below a button, or above it where there is no room below. */
function beside(button: DOMRect, entries: number): { top: string; right: string } {
  const high = entries * 40 + 20;
  const below = button.bottom + high < innerHeight || button.top < high;
  return { top: `${below ? button.bottom : button.top - high}px`, right: `${document.documentElement.clientWidth - button.right}px` };
}

function entries(root: HTMLElement | null): HTMLElement[] {
  return root ? [...root.querySelectorAll<HTMLElement>('[role="menuitem"]')] : [];
}
