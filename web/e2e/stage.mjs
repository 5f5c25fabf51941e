// What is played before a real browser: a server, and the pages of those who use it.
import { PATIENCE, Server } from "./server.mjs";

export class Stage {
  contexts = [];
  errors = [];
  server;

  constructor(browser) {
    this.browser = browser;
  }

  async start(how) {
    this.server = await Server.start(how);
  }

  /** A page of somebody new, signed in. */
  as = async (name, role, { groups = [], ...look } = {}) =>
    this.signedIn(await this.server.token(name, role, groups), look);

  /** A page of whoever the token belongs to. */
  signedIn = async (token, look = {}) => {
    const page = await this.stranger(look);
    await page.context().request.post("/api/sign-in", {
      data: { token },
      headers: { origin: this.server.base },
      failOnStatusCode: true,
    });
    return page;
  };

  /** A page of somebody who is not signed in. */
  stranger = async (look = {}) => {
    const context = await this.browser.newContext({
      baseURL: this.server.base,
      viewport: { width: 1360, height: 900 },
      locale: "en",
      reducedMotion: "reduce",
      ...look,
    });
    context.setDefaultTimeout(PATIENCE);
    this.contexts.push(context);
    const page = await context.newPage();
    page.on("pageerror", (error) => this.errors.push(error.message));
    return page;
  };

  /** A picture of every page, in files whose names begin with `path`. */
  async pictures(path) {
    const pages = this.contexts.flatMap((context) => context.pages());
    for (const [place, page] of pages.entries()) {
      await page.screenshot({ path: `${path}-${place}.png` }).catch(() => {});
    }
  }

  /** Closes all pages. */
  async leave() {
    for (const context of this.contexts) await context.close().catch(() => {});
  }

  async close() {
    await this.leave();
    await this.server?.close();
  }
}
