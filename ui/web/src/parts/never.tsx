import { post } from "../api";
import { t } from "../i18n";
import { refresh } from "../live";
import { href } from "../router";
import { Menu, type Item } from "./menu";
import { attempt, say } from "./toast";

/** What came of asking that a pattern is never visited, or is again. */
export interface Change {
  pattern: string;
  never: boolean;
  changed: boolean;
}

/** Has a pattern never visited again, and offers to undo that. What became different is told to after. */
export async function neverVisit(pattern: string, after: () => unknown = refresh): Promise<boolean> {
  const change = await attempt(() => post<Change>("/api/never", { pattern }));
  if (!change) return false;
  const undo = { text: t("never.undo"), run: () => void visitAgain(change.pattern, after) };
  if (change.changed) say(t("never.done", { domain: change.pattern }), false, undo);
  else say(t("neighbour.never.known", { domain: change.pattern }));
  await after();
  return true;
}

/** Takes a pattern off the list. */
export async function visitAgain(pattern: string, after: () => unknown = refresh): Promise<void> {
  const change = await attempt(() => post<Change>("/api/never", { pattern, undo: true }));
  if (change) say(t(change.never ? "neighbour.never.still" : "neighbour.never.undone", { pattern }));
  await after();
}

/** A button that has a site never visited again. */
export function Never({ domain }: { domain: string }) {
  return (
    <button type="button" class="link" onClick={() => void neverVisit(domain)} aria-label={t("never.label", { domain })}>
      {t("never.button")}
    </button>
  );
}

/** What can be done with a site of a list. */
export function SiteMenu({ domain, archived = true }: { domain: string; archived?: boolean }) {
  const items: Item[] = [
    { text: t("site.menu.live"), act: () => void open(`https://${domain}/`, "_blank", "noopener,noreferrer") },
    { text: t("never.button"), act: () => void neverVisit(domain) },
  ];
  if (archived) items.unshift({ text: t("site.menu.archive"), act: () => void (location.hash = href("mine", { site: domain })) });
  return <Menu kind="dots" name={t("site.menu", { domain })} label="⋯" items={items} />;
}
