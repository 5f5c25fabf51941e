import { createRoot } from "react-dom/client";
import { App } from "./app/app";
import { applyTheme } from "./ui/preferences";
import "./app/theme.css";

const place = document.getElementById("root");
if (place === null) throw new Error("the page has no place for us");

applyTheme();
createRoot(place).render(<App />);
