import { signal } from "@preact/signals";
import { CallError, Unreachable } from "../api";
import { t } from "../i18n";

interface Toast {
  id: number;
  text: string;
  bad: boolean;
  act: Act | undefined;
}

/** What can be done about what was said. */
export interface Act {
  text: string;
  run: () => void;
}

const toasts = signal<Toast[]>([]);
let last = 0;

/** Says something for a while, to screen readers too. */
export function say(text: string, bad = false, act?: Act): void {
  const id = ++last;
  toasts.value = [...toasts.value.filter((x) => x.text !== text).slice(-2), { id, text, bad, act }];
  setTimeout(() => dismiss(id), bad ? 12000 : act ? 20000 : 5000);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((x) => x.id !== id);
}

/** What went wrong, in a sentence. */
export function trouble(cause: unknown): string {
  if (cause instanceof Unreachable) return t("lost.short");
  if (cause instanceof CallError) return cause.message;
  return String(cause);
}

/** Runs what a button asks for, and says if it fails. */
export async function attempt<T>(what: () => Promise<T>): Promise<T | undefined> {
  try {
    return await what();
  } catch (cause) {
    say(trouble(cause), true);
    return undefined;
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((x) => (
        <div key={x.id} class={x.bad ? "toast bad" : "toast"}>
          <span>{x.text}</span>
          {x.act && (
            <button
              type="button"
              class="link"
              onClick={() => {
                dismiss(x.id);
                x.act?.run();
              }}
            >
              {x.act.text}
            </button>
          )}
          <button type="button" class="plain" aria-label={t("close")} onClick={() => dismiss(x.id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
