import { href } from "../../router";

/** A page of the archive: its title, which leads to what it says, and its address. Without a title the address leads there. */
export function Name({ id, url, title, language = "" }: { id: string; url: string; title: string; language?: string }) {
  const to = href("mine", { id });
  if (!title)
    return (
      <a class="name untitled" href={to} title={url}>
        {url}
      </a>
    );
  return (
    <>
      <a class="name" href={to} lang={language || undefined} dir="auto">
        {title}
      </a>
      <span class="where" title={url}>
        {url}
      </span>
    </>
  );
}
