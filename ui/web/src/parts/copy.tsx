import { useRef } from "preact/hooks";
import { t } from "../i18n";
import { say } from "./toast";

/** A line to be copied. Where the browser gives no clipboard, it is selected instead. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  const line = useRef<HTMLInputElement>(null);
  const copy = async () => {
    line.current?.select();
    try {
      await navigator.clipboard.writeText(text);
      say(t("swarm.copied"));
    } catch {
      say(t("swarm.selected"));
    }
  };
  return (
    <div class="copy-line">
      <input ref={line} type="text" readOnly spellcheck={false} value={text} aria-label={label} onFocus={(e) => e.currentTarget.select()} />
      <button type="button" onClick={() => void copy()}>
        {t("swarm.copy")}
      </button>
    </div>
  );
}
