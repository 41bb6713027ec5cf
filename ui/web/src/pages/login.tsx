import { useState } from "preact/hooks";
import { open } from "../api";
import { t } from "../i18n";
import { trouble } from "../parts/toast";

/** What a browser sees that the node does not know. */
export function Login() {
  const [error, setError] = useState("");
  const [password, setPassword] = useState("");
  const far = !["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  return (
    <main class="login" id="main">
      <h1>{t("login.title")}</h1>
      <p>{t("login.text")}</p>
      <pre>
        <code>forage dashboard</code>
      </pre>
      {!far && <p>{t("login.ways")}</p>}
      {far && (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            open({ password }).catch((cause: unknown) => setError(trouble(cause)));
          }}
        >
          <label>
            {t("login.password")}
            <input type="password" autocomplete="current-password" value={password} onInput={(e) => setPassword(e.currentTarget.value)} />
          </label>
          <button type="submit" class="main">
            {t("login.enter")}
          </button>
          {error && (
            <p class="fault" role="alert">
              {error}
            </p>
          )}
        </form>
      )}
    </main>
  );
}
