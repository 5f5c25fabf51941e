import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// For `npm run dev`: the server whose API the page speaks to.
const server = process.env.COUNTERSIGN_URL ?? "http://127.0.0.1:7717";

export default defineConfig({
  plugins: [react(), tailwind()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2022",
    // The server's content policy takes files from itself only, so nothing is put in as a `data:` address.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false, bundlerTimings: false },
      output: {
        // What changes with us, and what changes with a new version of a library.
        codeSplitting: { groups: [{ name: "libraries", test: /node_modules/ }] },
      },
    },
  },
  server: {
    // The origin stays the one that the server knows, or it would take us for another site.
    proxy: { "/api": { target: server, changeOrigin: true, headers: { origin: server } } },
  },
  test: { include: ["tests/**/*.test.{ts,tsx}"], environment: "happy-dom", testTimeout: 120_000, silent: true },
});
