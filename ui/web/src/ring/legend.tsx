import { number, percent, t } from "../i18n";
import type { Ring } from "../types";
import type { Mode } from "./scene";

// Samples of 28 × 14, in the colours of the picture.
function Sample({ name }: { name: string }) {
  return (
    <svg class={`sample sample-${name}`} viewBox="0 0 28 14" width="28" height="14" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}

const shapes: Record<string, preact.JSX.Element> = {
  ours: <path d="M2 7h24" />,
  near: <path d="M2 7h24" />,
  far: <rect x="2" y="4.5" width="24" height="5" />,
  you: (
    <g>
      <circle cx="14" cy="7" r="6.5" opacity=".25" />
      <circle cx="14" cy="7" r="5" />
    </g>
  ),
  helper: <circle cx="14" cy="7" r="5" />,
  absent: <circle cx="14" cy="7" r="4.4" />,
  rim: (
    <g>
      <path d="M1 7h27" class="track" />
      <circle cx="14" cy="7" r="4.4" />
    </g>
  ),
  star: (
    <g>
      <circle cx="6" cy="7" r="3" />
      <circle cx="15" cy="7" r="2.6" opacity=".55" />
      <circle cx="23" cy="7" r="2.2" opacity=".28" />
    </g>
  ),
  fill: (
    <g>
      <circle cx="14" cy="7" r="5" class="track" />
      <path d="M14 2a5 5 0 0 1 5 5" />
    </g>
  ),
  page: (
    <g>
      <path d="M3 10L19 6" />
      <circle cx="21" cy="5.5" r="2.6" />
    </g>
  ),
  bad: <path d="M10 3l8 8m0-8l-8 8" />,
  bar: (
    <g>
      <circle cx="14" cy="7" r="5" />
      <path d="M9 7h10" />
    </g>
  ),
  link: (
    <g>
      <path d="M2 11Q14 1 22 7" />
      <circle cx="23" cy="8" r="2.4" />
    </g>
  ),
  lease: (
    <g>
      <path d="M2 11Q14 1 20 6" class="dashed" />
      <path d="M23 3.5l4 4-4 4-4-4z" class="full" />
    </g>
  ),
  moved: (
    <g>
      <path d="M2 11Q14 1 20 6" />
      <rect x="19" y="4" width="7" height="7" class="full" />
    </g>
  ),
};

/** What is explained in each view: the sample, and the text if it is another's. */
const explained: Record<Mode, (string | [sample: string, text: string])[]> = {
  ring: ["ours", "near", "far", "star", "fill", "page", "bad", "bar", "link", "lease", "moved"],
  swarm: ["you", ["helper", "near"], ["absent", "far"], "rim", "link", "lease", "moved"],
};

/** What the picture shows. */
export function Legend({ ring, mode }: { ring: Ring; mode: Mode }) {
  const fill = ring.fill >= 0 ? percent(ring.fill, ring.fill < 0.1 ? 1 : 0) : "–";
  return (
    <details class="ring-more">
      <summary>{t("ring.legend")}</summary>
      <p>{mode === "swarm" ? t("ring.legend.swarm") : t("ring.legend.text")}</p>
      <ul class="ring-legend">
        {explained[mode].map((of) => {
          const [name, text] = typeof of === "string" ? [of, of] : of;
          return (
            <li key={name}>
              <Sample name={name} />
              <span>{t(`ring.legend.${text}`, { fill, sites: number(ring.domains.length) })}</span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
