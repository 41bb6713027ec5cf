import { t } from "../i18n";

export function Mine() {
  return <h1>{t("nav.mine")}</h1>;
}
