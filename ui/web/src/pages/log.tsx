import { t } from "../i18n";

export function Log() {
  return <h1>{t("nav.log")}</h1>;
}
