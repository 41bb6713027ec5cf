import "../style/settings.css";
import { Fragment } from "preact";
import { signOutEverywhere } from "../api";
import { lang, t } from "../i18n";
import { usePolled } from "../parts/poll";
import { attempt } from "../parts/toast";
import { href, route } from "../router";
import { All, allHref } from "./settings/all";
import { Simple } from "./settings/simple";
import { fault, load, settings } from "./settings/store";

// Others may change the file too, and the page must show what holds.
const every = 5000;

export function Settings() {
  usePolled((signal) => load(signal), every, [lang.value]);
  const { params } = route.value;
  const all = params.get("view") === "all" || params.has("key");
  const is = settings.value;
  return (
    <>
      <h1>{t("nav.settings")}</h1>
      <div class="views" role="navigation" aria-label={t("set.views")}>
        <a href={href("settings")} aria-current={all ? undefined : "page"}>
          {t("set.simple")}
        </a>
        <a href={allHref()} aria-current={all ? "page" : undefined}>
          {t("set.all")}
        </a>
      </div>
      {fault.value && (
        <p class="notice bad" role="alert">
          {fault.value}
        </p>
      )}
      {is?.fault && (
        <p class="notice bad" role="alert">
          {is.fault} {!is.fault.includes(is.file) && <code>{is.file}</code>}
        </p>
      )}
      {is === null && !fault.value && <p class="loading">{t("loading")}</p>}
      {is !== null && (
        <>
          <Pending />
          {all ? <All /> : <Simple is={is} />}
          <SignOut />
        </>
      )}
    </>
  );
}

/** Says what was changed and does not hold yet. */
function Pending() {
  const list = settings.value!.settings.filter((s) => s.pending);
  if (list.length === 0) return null;
  return (
    <p class="notice">
      {t("set.waiting", { n: list.length })}{" "}
      {list.map((s, i) => (
        <Fragment key={s.key}>
          {i > 0 && ", "}
          <a href={allHref(s.key)}>{s.name}</a>
        </Fragment>
      ))}
    </p>
  );
}

/** Ends the sessions of all browsers. */
function SignOut() {
  return (
    <p>
      <button type="button" onClick={() => attempt(signOutEverywhere)}>
        {t("set.signout")}
      </button>{" "}
      {t("set.signout.why")}
    </p>
  );
}
