import { useId } from "preact/hooks";

export interface MeterProps {
  name: string;
  /** What is used and what is allowed, in the same unit; a negative limit is none, a negative use is not known. */
  used: number;
  limit: number;
  text: string;
  breached?: boolean;
}

/** How much of what is allowed is used. */
export function Meter({ name, used, limit, text, breached = false }: MeterProps) {
  const id = useId();
  const share = limit > 0 && used > 0 ? Math.min(1, used / limit) : 0;
  return (
    <div class={breached ? "meter breached" : "meter"}>
      <div class="meter-words">
        <span id={id}>{name}</span>
        <span>{text}</span>
      </div>
      <div class="track" role="meter" aria-labelledby={id} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(share * 100)} aria-valuetext={text}>
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="bar" x="0" y="0" width={share * 100} height="6" />
        </svg>
      </div>
    </div>
  );
}
