// The ring as the node sees it: asked for now and then, and soon after something about it happened.

import { useLayoutEffect, useState } from "preact/hooks";
import { get } from "../api";
import { onEvents } from "../live";
import { usePolled } from "../parts/poll";
import type { Ring } from "../types";

const every = 20000;
const soon = 2000;
const telling = new Set(["swarm", "domain-came", "domain-left", "state"]);

/** What is drawn until the node has answered. */
const unknown: Ring = { self: "", members: [], points: [], arcs: [], domains: [], fill: -1, version: "" };

export function useRing(everyMs = every): Ring {
  const [turn, setTurn] = useState(0);
  useLayoutEffect(() => {
    let timer = 0;
    const end = onEvents((list) => {
      if (timer !== 0 || !list.some((e) => telling.has(e.code))) return;
      timer = window.setTimeout(() => {
        timer = 0;
        setTurn((n) => n + 1);
      }, soon);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  const ring = usePolled((signal) => get<Ring>("/api/ring", {}, signal), everyMs, [turn]);
  return ring ?? unknown;
}
