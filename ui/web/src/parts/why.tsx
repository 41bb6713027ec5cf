import { useState } from "preact/hooks";
import { get } from "../api";
import { lang, t } from "../i18n";
import type { Why as Answer } from "../types";
import { Card } from "./card";
import { trouble } from "./toast";

/** Says what became of an address, or why it was never visited. */
export function Why() {
  const [address, setAddress] = useState("");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [error, setError] = useState("");

  const ask = async () => {
    setError("");
    setAnswer(null);
    try {
      setAnswer(await get<Answer>("/api/why", { address: address.trim(), lang: lang.value }));
    } catch (cause) {
      setError(trouble(cause));
    }
  };

  return (
    <Card title={t("log.why.title")} wide>
      <form class="filters" onSubmit={(e) => (e.preventDefault(), void ask())}>
        <label>
          {t("log.why.address")}
          <input type="text" inputMode="url" value={address} maxLength={2048} required autocapitalize="none" spellcheck={false} onInput={(e) => setAddress(e.currentTarget.value)} />
        </label>
        <span class="filter-acts">
          <button type="submit">{t("log.why.ask")}</button>
        </span>
      </form>
      <div aria-live="polite">
        {error && (
          <p class="fault" role="alert">
            {error}
          </p>
        )}
        {answer && <p>{answer.sentence}</p>}
        {answer?.details.map((line) => <p key={line}>{line}</p>)}
        {answer && <p class="url">{answer.url}</p>}
      </div>
    </Card>
  );
}
