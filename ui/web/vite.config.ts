import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

// The placeholder stays, so that the Go package can be built without the dashboard.
function emptyDist(): Plugin {
  return {
    name: "empty-dist",
    apply: "build",
    buildStart() {
      for (const name of readdirSync("dist", { withFileTypes: false })) {
        if (name !== "placeholder.html") rmSync(join("dist", name), { recursive: true });
      }
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [emptyDist()],
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  server: { fs: { allow: ["../.."] } },
  build: {
    outDir: "dist",
    emptyOutDir: false,
    target: "es2022",
    // The page's policy allows no inline code, and no data: scripts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    reportCompressedSize: true,
  },
});
