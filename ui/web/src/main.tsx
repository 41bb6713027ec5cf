import "./style/base.css";
import "./style/shell.css";
import "./style/steer.css";
import "./style/away.css";
import { render } from "preact";
import { openFromAddress } from "./api";
import { App } from "./app";
import { initLang } from "./i18n";
import { live } from "./live";
import { turn } from "./router";

await initLang();
try {
  await openFromAddress(turn);
} catch {
  // The node is away: the page says so, and tries again.
}
live();
// A link that is put into a page that is open already changes the fragment alone.
addEventListener("hashchange", () => void openFromAddress(turn).catch(() => {}));
render(<App />, document.getElementById("app")!);
