import { useEffect, useState } from "preact/hooks";
import { CallError, get, post } from "../../api";
import { t } from "../../i18n";
import { trouble } from "../../parts/toast";
import type { ArchiveView, ViewTicket } from "../../types";

// One view serves all pages that are opened in this window, until it is over.
let ticket: Promise<ViewTicket> | null = null;

function view(): Promise<ViewTicket> {
  ticket ??= post<ViewTicket>("/api/archive/view").catch((cause: unknown) => {
    ticket = null;
    throw cause;
  });
  return ticket;
}

/**
 * Shows an archived page as it looked. The frame has no rights: no scripts, no cookie, no way out. Links in it lead it on;
 * onShown hears what it shows then.
 */
export function Frame({ id, title, onShown }: { id: string; title: string; onShown: (shown: ArchiveView) => void }) {
  const [open, setOpen] = useState<ViewTicket | null>(null);
  const [error, setError] = useState("");
  const [tries, setTries] = useState(0);

  useEffect(() => {
    let gone = false;
    setError("");
    view().then(
      (begun) => !gone && setOpen(begun),
      (cause: unknown) => !gone && setError(trouble(cause)),
    );
    return () => {
      gone = true;
    };
  }, [tries]);

  const loaded = async () => {
    if (!open) return;
    try {
      const shown = await get<ArchiveView>("/api/archive/view", { view: open.view });
      if (shown.url) onShown(shown);
    } catch (cause) {
      if (cause instanceof CallError && cause.status === 404 && tries < 2) {
        ticket = null; // it was over: begin another one
        setOpen(null);
        setTries(tries + 1);
      } else {
        setError(trouble(cause));
      }
    }
  };

  return (
    <>
      {error && (
        <p class="fault" role="alert">
          {error}
        </p>
      )}
      {open ? (
        <iframe
          key={open.view + id}
          class="archived"
          src={`${open.url}${id}/`}
          title={t("view.frame", { title })}
          sandbox=""
          referrerpolicy="no-referrer"
          onLoad={() => void loaded()}
        />
      ) : (
        <p class="loading">{t("loading")}</p>
      )}
    </>
  );
}
