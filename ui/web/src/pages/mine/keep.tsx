import { useState } from "preact/hooks";
import { download, post } from "../../api";
import { bytes, number, t } from "../../i18n";
import { erased, status } from "../../live";
import { Card } from "../../parts/card";
import { attempt } from "../../parts/toast";

const formats = ["wacz", "warc", "cdxj", "links", "stats"] as const;

/** What is kept on this computer, to take along or to erase. */
export function Keep() {
  const s = status.value!;
  return (
    <>
      <Card title={t("keep.title")}>
        <p>{t("keep.where", { n: s.archive_files, files: number(s.archive_files), size: bytes(s.archive_bytes) })}</p>
        <p>
          <code class="path">{s.archive_dir}</code>
        </p>
        <Export />
      </Card>
      <Card title={t("erase.title")}>
        <Erase />
      </Card>
    </>
  );
}

function Export() {
  const [format, setFormat] = useState<string>("wacz");
  const [busy, setBusy] = useState(false);
  return (
    <form
      class="export"
      onSubmit={(e) => {
        e.preventDefault();
        setBusy(true);
        void attempt(() => download({ format })).finally(() => setBusy(false));
      }}
    >
      <fieldset>
        <legend>{t("export.title")}</legend>
        {formats.map((f) => (
          <label key={f} class="choice">
            <input type="radio" name="format" value={f} checked={format === f} onChange={() => setFormat(f)} />
            <span>
              <strong>{f.toUpperCase()}</strong> <span class="note">{t(`export.${f}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <button type="submit" disabled={busy}>
        {t("export.button")}
      </button>
    </form>
  );
}

function Erase() {
  const [word, setWord] = useState("");
  const wanted = t("erase.word");
  const erase = async () => {
    const ok = await attempt(async () => {
      await post("/api/erase", { confirm: "erase" });
      return true;
    });
    if (ok) erased.value = true;
  };
  return (
    <form
      class="erase"
      onSubmit={(e) => {
        e.preventDefault();
        void erase();
      }}
    >
      <p>{t("erase.text")}</p>
      <label>
        {t("erase.type", { word: wanted })}
        <input type="text" autocomplete="off" value={word} onInput={(e) => setWord(e.currentTarget.value)} />
      </label>
      <button type="submit" class="danger" disabled={word.trim().toLowerCase() !== wanted.toLowerCase()}>
        {t("erase.button")}
      </button>
    </form>
  );
}
