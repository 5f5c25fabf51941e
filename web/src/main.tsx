import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeQueries } from "./app/queries";
import { makeRouter } from "./app/router";
import "./app/theme.css";

const place = document.getElementById("root");
if (place === null) throw new Error("the page has no place for us");

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={makeQueries()}>
      <RouterProvider router={makeRouter()} />
    </QueryClientProvider>
  </StrictMode>,
);
