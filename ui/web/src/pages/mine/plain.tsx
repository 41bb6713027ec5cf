import { t } from "../../i18n";
import type { PageText } from "../../types";

/** Shows an archived page as plain text: nothing of it is run, and nothing is fetched. */
export function Plain({ page }: { page: PageText }) {
  return (
    <article lang={page.language || undefined} class="reader">
      {page.paragraphs.map((p, i) => (
        <Paragraph key={i} kind={p.kind} text={p.text} />
      ))}
      {page.cut && (
        <p class="note" lang={document.documentElement.lang}>
          {t("reader.cut")}
        </p>
      )}
    </article>
  );
}

function Paragraph({ kind, text }: { kind: string; text: string }) {
  switch (kind) {
    case "h1":
    case "h2":
      return <h2>{text}</h2>;
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return <h3>{text}</h3>;
    case "li":
      return <p class="item">{text}</p>;
    case "pre":
      return <pre>{text}</pre>;
  }
  return <p>{text}</p>;
}
