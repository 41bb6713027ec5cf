import { t } from "../i18n";

export function Setup() {
  return <h1>{t("nav.setup")}</h1>;
}
