// The door: a one-time link, or a personal token.

import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useCallback, useEffect, useId, useState } from "react";
import { useMe } from "@/api/me";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Code } from "@/ui/code";
import { Logo } from "@/ui/logo";
import { Failure } from "@/ui/notice";
import { takeLink } from "./link";
import { useSignIn } from "./sign-in";

export function SignInPage() {
  const byLink = useLink();
  if (byLink.isPending || byLink.isSuccess) {
    return (
      <Door>
        <p role="status" className="py-6 text-center text-soft">
          {say.signIn.byLink}
        </p>
      </Door>
    );
  }
  return (
    <Door>
      {byLink.error && <Failure title={say.signIn.linkFailed} error={byLink.error} />}
      <TokenForm />
    </Door>
  );
}

function Door({ children }: { children: React.ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-md flex-col justify-center px-4 py-10">
      <div className="mb-6 flex flex-col items-center gap-3 text-center">
        <Logo className="size-12" />
        <div>
          <p className="text-xl font-semibold tracking-tight">{say.app.name}</p>
          <p className="text-sm text-soft">{say.app.motto}</p>
        </div>
      </div>
      <Card className="space-y-5 p-5 sm:p-6">{children}</Card>
    </main>
  );
}

function TokenForm() {
  const signIn = useSignIn();
  const enter = useEnter();
  const [token, setToken] = useState("");
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim()) signIn.mutate({ token: token.trim() }, { onSuccess: enter });
  };
  return (
    <>
      <form onSubmit={submit} className="space-y-4">
        <div>
          <h1 className="text-lg font-semibold tracking-tight">{say.signIn.title}</h1>
          <p className="text-sm text-soft">{say.signIn.withToken}</p>
        </div>
        {signIn.error && <Failure title={say.signIn.failed} error={signIn.error} />}
        <div>
          <label htmlFor={id} className="text-sm font-semibold">
            {say.signIn.token}
          </label>
          <input
            id={id}
            type="password"
            required
            autoComplete="current-password"
            spellCheck={false}
            value={token}
            placeholder={say.signIn.placeholder}
            onChange={(event) => setToken(event.target.value)}
            className="mt-1.5 block min-h-11 w-full rounded-lg border border-line-strong bg-code px-3 font-mono text-base placeholder:text-soft sm:text-sm"
          />
        </div>
        <Button type="submit" look="go" className="w-full" disabled={signIn.isPending} aria-busy={signIn.isPending}>
          {signIn.isPending ? say.signIn.busy : say.signIn.button}
        </Button>
      </form>
      <div className="space-y-2 border-t border-line pt-5 text-sm text-soft">
        <p>{say.signIn.how}</p>
        <Code text={say.signIn.command} label={say.signIn.terminal} />
        <p>{say.signIn.or}</p>
      </div>
    </>
  );
}

/** Signs in with the link in the address, if there is one, also when it is pasted into a page that is open already. */
function useLink() {
  const { mutate, ...state } = useSignIn();
  const enter = useEnter();
  const inside = useMe().data != null && state.isIdle;
  useEffect(() => {
    const look = () => {
      const link = takeLink();
      if (link !== undefined) mutate({ link }, { onSuccess: enter });
      else if (inside) enter();
    };
    look();
    window.addEventListener("hashchange", look);
    return () => window.removeEventListener("hashchange", look);
  }, [mutate, enter, inside]);
  return state;
}

/** Goes in. Whoever was on the way to another page stays there. */
function useEnter() {
  const navigate = useNavigate();
  return useCallback(() => {
    if (window.location.pathname === "/sign-in") navigate({ to: "/", replace: true });
  }, [navigate]);
}
