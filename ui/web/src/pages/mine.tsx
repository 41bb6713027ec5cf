import "../style/mine.css";
import { t } from "../i18n";
import { route } from "../router";
import { Contribution } from "./mine/contribution";
import { Domains } from "./mine/domains";
import { Keep } from "./mine/keep";
import { Reader } from "./mine/reader";
import { Search } from "./mine/search";

export function Mine() {
  const { params } = route.value;
  const url = params.get("url");
  const id = params.get("id");
  if (id || url) return <Reader id={id} url={url} />;
  return (
    <>
      <h1>{t("nav.mine")}</h1>
      <div class="grid">
        <Contribution />
        <Search />
        <Domains />
        <Keep />
      </div>
    </>
  );
}
