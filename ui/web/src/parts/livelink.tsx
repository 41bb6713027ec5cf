import type { ComponentChildren } from "preact";
import { t } from "../i18n";

/** Leads to a page as it is on the web now; nothing where its address is none of the web. */
export function LiveLink({ url, kind = "", children }: { url: string; kind?: string; children?: ComponentChildren }) {
  if (!/^https?:\/\//i.test(url)) return <>{children}</>;
  return (
    <a class={`${kind} live`.trim()} href={url} title={children === undefined ? url : t("view.live")} target="_blank" rel="noopener noreferrer">
      {children ?? t("view.live")}
      {children !== undefined && <span class="unseen"> ({t("view.live")})</span>}
    </a>
  );
}
