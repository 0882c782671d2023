// First, because zod probes for `eval` when the first schema is made.
import "../../receipts/page-policy.ts";
import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/parts.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { WagmiProvider } from "wagmi";
import { createConsoleRouter } from "./routes.tsx";
import { queries } from "./session/session-queries.ts";
import { walletConfig } from "./wallet/wallet-config.ts";

// A file of the page is gone because a newer console was deployed.
addEventListener("vite:preloadError", () => location.reload());

const root = document.getElementById("console");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <WagmiProvider config={walletConfig}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={createConsoleRouter()} />
        </QueryClientProvider>
      </WagmiProvider>
    </StrictMode>,
  );
}
