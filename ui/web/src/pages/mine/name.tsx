import { LiveLink } from "../../parts/livelink";
import { href } from "../../router";

/** A page of the archive: its title, which leads to what it says, and its address, which leads to it on the web. Without a title the address leads to the copy. */
export function Name({ id, url, title, language = "" }: { id: string; url: string; title: string; language?: string }) {
  const to = href("mine", { id });
  if (!title)
    return (
      <>
        <a class="name untitled" href={to} title={url}>
          {url}
        </a>
        <LiveLink kind="where" url={url} />
      </>
    );
  return (
    <>
      <a class="name" href={to} lang={language || undefined} dir="auto">
        {title}
      </a>
      <LiveLink kind="where" url={url}>
        {url}
      </LiveLink>
    </>
  );
}
