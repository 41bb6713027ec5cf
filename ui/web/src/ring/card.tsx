import { t } from "../i18n";
import { Card } from "../parts/card";

export function RingCard() {
  return (
    <Card title={t("ring.title")}>
      <p class="empty">{t("loading")}</p>
    </Card>
  );
}
