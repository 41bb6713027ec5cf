import { t } from "../i18n";

export function Neighbour() {
  return <h1>{t("nav.neighbour")}</h1>;
}
