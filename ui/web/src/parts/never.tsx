import { post } from "../api";
import { t } from "../i18n";
import { refresh } from "../live";
import { attempt, say } from "./toast";

/** Has a site never visited again, after a question. */
export function Never({ domain }: { domain: string }) {
  const never = async () => {
    if (!confirm(t("never.ask", { domain }))) return;
    const answer = await attempt(() => post<{ text: string }>("/api/never", { pattern: domain }));
    if (answer) say(t("never.done", { domain }));
    await refresh();
  };
  return (
    <button type="button" class="link" onClick={never} aria-label={t("never.label", { domain })}>
      {t("never.button")}
    </button>
  );
}
