import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { session } from "./api";
import { t } from "./i18n";
import { erased, reachable, status } from "./live";
import { useAway } from "./parts/away";
import { Lost, StatusBar } from "./parts/statusbar";
import { Nav } from "./parts/nav";
import { Toasts } from "./parts/toast";
import { Now } from "./pages/now";
import { Login } from "./pages/login";
import { settingUp } from "./pages/setup/state";
import { route, type PageName } from "./router";

type Loader = () => Promise<ComponentType>;

// What is not needed at once comes later: the first page is there sooner.
const loaders: Record<Exclude<PageName, "now">, Loader> = {
  mine: () => import("./pages/mine").then((m) => m.Mine),
  swarm: () => import("./pages/swarm").then((m) => m.Swarm),
  neighbour: () => import("./pages/neighbour").then((m) => m.Neighbour),
  log: () => import("./pages/log").then((m) => m.Log),
  settings: () => import("./pages/settings").then((m) => m.Settings),
};
const setup: Loader = () => import("./pages/setup").then((m) => m.Setup);

const loaded = new Map<Loader, ComponentType>();

function Later({ load }: { load: Loader }) {
  const [, again] = useState(0);
  const [failed, setFailed] = useState(false);
  const Page = loaded.get(load);
  useEffect(() => {
    if (loaded.has(load)) return;
    let gone = false;
    let timer = 0;
    const fetchPage = () => {
      load().then(
        (page) => {
          loaded.set(load, page);
          if (!gone) again((n) => n + 1);
        },
        () => {
          if (gone) return;
          setFailed(true);
          timer = window.setTimeout(fetchPage, 3000);
        },
      );
    };
    setFailed(false);
    fetchPage();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [load]);
  return Page ? <Page /> : <p class="loading">{t(failed ? "later.failed" : "loading")}</p>;
}

/** What is left to say when everything was erased. */
function Erased() {
  return (
    <main class="login" id="main">
      <h1>{t("erase.over")}</h1>
      <p>{t("erase.over.text")}</p>
    </main>
  );
}

export function App() {
  if (erased.value) return <Erased />;
  if (session.value === "none") return <Login />;
  const s = status.value;
  if (s === null) return reachable.value ? <p class="loading">{t("loading")}</p> : <Lost first />;
  if (!s.consent || settingUp.value) return <Later load={setup} />;
  const { page } = route.value;
  return <Shell page={page} />;
}

function Shell({ page }: { page: PageName }) {
  useAway();
  useEffect(() => {
    document.title = `${t(`nav.${page}`)} · Forage`;
  });
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        {t("skip")}
      </a>
      <div class="shell">
        <Nav />
        <div class="body">
          <StatusBar />
          <main id="main" tabIndex={-1}>
            {page === "now" ? <Now /> : <Later load={loaders[page]} />}
          </main>
        </div>
      </div>
      <Toasts />
    </>
  );
}

function toMain(e: MouseEvent): void {
  e.preventDefault(); // the fragment is the page's name
  document.getElementById("main")?.focus();
}
