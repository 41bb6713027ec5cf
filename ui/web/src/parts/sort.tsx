import type { ComponentChildren } from "preact";

/** How a table is sorted: by which column, and whether the largest comes first. */
export interface Order<C extends string> {
  by: C;
  down: boolean;
}

/** The order after a click on a column: the other way round if it was sorted by that; figures begin with the largest. */
export function turned<C extends string>(order: Order<C>, by: C, figures: boolean): Order<C> {
  return { by, down: order.by === by ? !order.down : figures };
}

/** A sorted copy. What has no value comes last either way; what is equal stays in its order. */
export function sorted<T>(rows: readonly T[], value: (row: T) => string | number | null, down: boolean): T[] {
  const sign = down ? -1 : 1;
  return [...rows].sort((x, y) => {
    const [a, b] = [value(x), value(y)];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    if (typeof a === "string" && typeof b === "string") return sign * a.localeCompare(b);
    return a === b ? 0 : a < b ? -sign : sign;
  });
}

interface SortHeadProps<C extends string> {
  order: Order<C>;
  by: C;
  figures?: boolean;
  set: (order: Order<C>) => void;
  children: ComponentChildren;
}

/** The head of a column that the table can be sorted by. */
export function SortHead<C extends string>({ order, by, figures = false, set, children }: SortHeadProps<C>) {
  const sort = order.by !== by ? undefined : order.down ? "descending" : "ascending";
  return (
    <th scope="col" class={figures ? "number" : ""} aria-sort={sort}>
      <button type="button" class="sort" onClick={() => set(turned(order, by, figures))}>
        {children}
        <span aria-hidden="true">{sort === undefined ? "" : order.down ? "▾" : "▴"}</span>
      </button>
    </th>
  );
}
