import { t } from "../i18n";
import { href, pages, route, type PageName } from "../router";

// Shapes of 24 × 24, drawn with the colour of the text.
const shapes: Record<PageName, string> = {
  now: "M12 3a9 9 0 1 0 9 9M12 3v9l6 3M12 3a9 9 0 0 1 9 9",
  mine: "M4 19V9m5 10V5m5 14v-7m5 7V8",
  swarm: "M12 5.5a2.5 2.5 0 1 0 0-.01M5.5 17a2.5 2.5 0 1 0 0-.01M18.5 17a2.5 2.5 0 1 0 0-.01M11 8l-4 6.5M13 8l4 6.5M8.5 17h7",
  neighbour: "M4 11l8-7 8 7M6 10v9h12v-9M10 19v-5h4v5",
  log: "M5 6h14M5 12h14M5 18h9",
  settings: "M4 7h9m4 0h3M4 17h3m4 0h9M15 4.5v5M9 14.5v5",
};

export function Nav() {
  const { page } = route.value;
  return (
    <nav aria-label={t("nav.label")}>
      <div class="brand" aria-hidden="true">
        <svg viewBox="0 0 32 32" width="28" height="28">
          <circle cx="16" cy="16" r="12.5" class="brand-ring" />
          <path d="M16 3.5A12.5 12.5 0 0 1 28.5 16" class="brand-arc" />
          <circle cx="16" cy="16" r="4" class="brand-dot" />
        </svg>
        <span>Forage</span>
      </div>
      <ul>
        {pages.map((name) => (
          <li key={name}>
            <a href={href(name)} aria-current={name === page ? "page" : undefined}>
              <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
                <path d={shapes[name]} />
              </svg>
              <span>{t(`nav.${name}`)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
