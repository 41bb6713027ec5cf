// Of all pages of this browser that are open and visible, one follows the node and tells the others what it hears: a
// browser has six connections to a host, and each stream takes one.

const name = "forage.events";

export interface Part<T> {
  /** Follows the node until it is over, and tells the other pages. */
  lead(tell: (what: T) => void): Promise<void>;
  /** Another page leads: what is not known yet is to be asked for. */
  join(): void;
  /** Another page, which leads, has told something. */
  hear(what: T): void;
}

/**
 * Takes part until aborted, or until what this page leads is over. When the page that leads is gone or hidden, another
 * one leads. In browsers that cannot share each page leads for itself.
 */
export async function takePart<T>(part: Part<T>, signal: AbortSignal): Promise<void> {
  const locks = navigator.locks;
  if (!locks || typeof BroadcastChannel === "undefined") return part.lead(() => {});
  const channel = new BroadcastChannel(name);
  let leads = false;
  channel.onmessage = (e: MessageEvent<T>) => {
    if (!leads && !signal.aborted) part.hear(e.data);
  };
  const lead = () => {
    leads = true;
    return part.lead((what) => channel.postMessage(what));
  };
  try {
    const free = await locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock === null || signal.aborted) return false;
      await lead();
      return true;
    });
    if (free || signal.aborted) return;
    part.join();
    await locks.request(name, { signal }, lead);
  } catch (cause) {
    if (signal.aborted) return;
    if (leads) throw cause;
    await part.lead(() => {}); // some browsers refuse locks where they keep no data
  } finally {
    channel.close();
  }
}
