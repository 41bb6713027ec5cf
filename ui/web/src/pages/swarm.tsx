import { t } from "../i18n";

export function Swarm() {
  return <h1>{t("nav.swarm")}</h1>;
}
