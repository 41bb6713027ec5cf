import { useEffect, useState } from "preact/hooks";
import { post } from "../../api";
import { t } from "../../i18n";
import { attempt } from "../../parts/toast";

/** The choice to start with the computer. The system knows what holds, no setting does. */
export function Startup({ on }: { on: boolean }) {
  const [wish, setWish] = useState<boolean>(); // until the node says what holds
  useEffect(() => setWish(undefined), [on]);
  const choose = async (to: boolean) => {
    setWish(to);
    if (!(await attempt(() => post("/api/startup", { on: to }).then(() => true)))) setWish(undefined);
  };
  return (
    <div class="field">
      <label class="tick">
        <input type="checkbox" checked={wish ?? on} onChange={(e) => void choose(e.currentTarget.checked)} />
        {t("startup.name")}
      </label>
      <p class="fine">{t("startup.short")}</p>
    </div>
  );
}
