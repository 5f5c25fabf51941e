// The whole page.

import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useState } from "react";
import { makeQueries } from "./queries";
import { makeRouter } from "./router";

export function App() {
  const [queries] = useState(makeQueries);
  const [router] = useState(makeRouter);
  return (
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  );
}
