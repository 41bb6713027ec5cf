import { useEffect, useState } from "preact/hooks";
import { CallError, Unreachable } from "../api";

/**
 * Asks again and again while the page is visible, and once more when one of deps changes. What was known stays until
 * there is something new; undefined means nothing came yet.
 */
export function usePolled<T>(ask: (signal: AbortSignal) => Promise<T>, everyMs: number, deps: unknown[] = []): T | undefined {
  const [value, setValue] = useState<T>();
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const turn = async () => {
      clearTimeout(timer);
      if (stop.signal.aborted) return;
      if (document.visibilityState === "visible") {
        try {
          const got = await ask(stop.signal);
          if (!stop.signal.aborted) setValue(() => got);
        } catch (cause) {
          if (!stop.signal.aborted && !(cause instanceof Unreachable) && !(cause instanceof CallError)) throw cause;
        }
      }
      if (!stop.signal.aborted) timer = window.setTimeout(turn, everyMs);
    };
    void turn();
    const shown = () => {
      if (document.visibilityState === "visible") void turn();
    };
    document.addEventListener("visibilitychange", shown);
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, deps);
  return value;
}
