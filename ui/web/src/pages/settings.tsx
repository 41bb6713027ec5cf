import { t } from "../i18n";

export function Settings() {
  return <h1>{t("nav.settings")}</h1>;
}
