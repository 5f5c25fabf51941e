// Made by `npm run schema` from docs/reference/openapi.json; changed there, not here.

export interface paths {
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The agents that can be run. */
        get: operations["list_agents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened to each call, the newest runs first. */
        get: operations["list_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erases what people, models and tools wrote in a run that has ended. What happened, when and by whom stays, and the record
         *     verifies as before. For operators.
         */
        post: operations["erase_texts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The record as a file. For operators. */
        get: operations["export_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verifies the whole log. For operators. It proves something only to somebody who trusts this server; to anybody else
         *     `countersign audit verify` does, with the public key and checkpoints that were kept elsewhere.
         */
        get: operations["verify_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What becomes of capabilities. */
        get: operations["list_capabilities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/capabilities/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Says what becomes of a capability. */
        put: operations["put_capability"];
        post?: never;
        /** Says nothing of a capability any more. */
        delete: operations["delete_capability"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/config/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reads the configuration anew and puts it in force. Runs go by it from their next act on; a call that waits is judged by
         *     it when it is answered. A bad one changes nothing: 422, and `problems` says file, line and reason of each. For operators.
         */
        post: operations["reload_config"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits. */
        get: operations["list_interactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interactions/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The inbox as it changes: `interaction_request`, `reminder`, `interaction_response`, `wait_completed`, each as in the events
         *     of its run. A `reminder` comes once, when half of the time for an answer is over.
         * @description An id is a place in the record: the same on every node and after a restart. The first event is `ready`, with the id that the
         *     stream begins after: who reads `GET /interactions` once it has come, and goes by the stream from then on, misses nothing.
         */
        get: operations["follow_interactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One question. */
        get: operations["read_interaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/interactions/{id}/respond": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers a question. With `Accept: text/event-stream` the events of the resumed run follow. */
        post: operations["respond"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The same, by the older name of a run. */
        post: operations["message_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/signal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The same, by the older name of a run. */
        post: operations["signal_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who am I? */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/overrides": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All overrides, everybody's and single users'. */
        get: operations["list_overrides"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/overrides/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The overrides of one tool, everybody's and single users'. */
        get: operations["read_overrides"];
        /** Makes an override what the body says. */
        put: operations["put_override"];
        post?: never;
        /** Takes an override away. */
        delete: operations["delete_override"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The grants of a user. */
        get: operations["read_permissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/{user_id}/allow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives an allow grant. An identical pattern that was denied is so no more. */
        post: operations["allow"];
        /** Takes an allow grant back. */
        delete: operations["take_back_allow"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/permissions/{user_id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives a deny grant. An identical pattern that was allowed is so no more. */
        post: operations["deny"];
        /** Takes a deny grant back. */
        delete: operations["take_back_deny"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policy/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was changed in the policy, the newest first, each with what stood before it. For operators: among it are the grants
         *     of all users.
         */
        get: operations["list_policy_changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policy/changes/{version}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undoes one change, by another one that makes the thing what it was before. 409 `CHANGED_SINCE` if the thing was changed
         *     again.
         */
        post: operations["undo_policy_change"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policy/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Judges a call without doing anything. */
        post: operations["check_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/policy/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Judges the last calls of the record as the policy stands, and as it would be with the changes. Nothing is kept, and
         *     nobody is asked. Each call is judged as it is stored, as if it were made now and nobody had answered anything.
         */
        post: operations["dry_run_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The roles. */
        get: operations["list_roles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/roles/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Makes a role what the body says. */
        put: operations["put_role"];
        post?: never;
        /** Takes a role away. Whoever acts in it from then on may use nothing. */
        delete: operations["delete_role"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The rules, in the order in which they are looked at: those of the configuration file and those that were made while the
         *     server ran. `ETag` is the version of the policy.
         */
        get: operations["list_rules"];
        put?: never;
        /**
         * Makes a new rule. For operators in person, as every change of the policy; with `If-Match`, only if the policy is still
         *     of that version.
         */
        post: operations["create_rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Makes a rule what the body says, whether there was one of that name or not. It keeps its place among those of its
         *     priority.
         */
        put: operations["put_rule"];
        post?: never;
        /** Takes a rule away. */
        delete: operations["delete_rule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs, the newest first. */
        get: operations["list_runs"];
        put?: never;
        /** Starts a run. With `Accept: text/event-stream` its events follow. */
        post: operations["start_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run. */
        get: operations["read_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops a run: what waits is withdrawn, what is at work is stopped. */
        post: operations["cancel_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/delegated-permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the run was handed, frame by frame. */
        get: operations["read_delegated_permissions"];
        put?: never;
        /** Adds a frame: it narrows the run from its next call on, and nothing widens it again. */
        post: operations["narrow_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of a run. With `Accept: text/event-stream` they go on until the run ends. */
        get: operations["run_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Writes to the agent of a run, or answers the question with the key. */
        post: operations["message_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/signal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers the question of a run that has this key. */
        post: operations["signal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/suspended": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the run waits for. */
        get: operations["run_suspended"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/tool-calls/{tool_call_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approves the call that waits. */
        post: operations["approve_tool_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/tool-calls/{tool_call_id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Declines the call that waits. */
        post: operations["decline_tool_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/runs/{id}/tree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A run and the runs that belong to it. */
        get: operations["run_tree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions, the one with the newest run first. */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was said in a session: of its newest runs first, and on each page in order. */
        get: operations["session_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs a browser in, with a one-time link or a personal token. */
        post: operations["sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the browser's session. */
        post: operations["sign_out"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All tokens, the oldest first. For operators. */
        get: operations["list_tokens"];
        put?: never;
        /** Makes a token. For operators. */
        post: operations["create_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a token and the sessions that were opened with it. Ending it again changes nothing. For operators. */
        delete: operations["revoke_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tool-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Asks whether a call may be made. The caller makes it itself, once it may, and reports what came of it. */
        post: operations["ask_tool_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tool-calls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A call that was asked about. With `wait` the answer comes as soon as somebody has decided, about the call or about its
         *     result.
         */
        get: operations["read_tool_call"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tool-calls/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reports what came of a call that was allowed. The same report again changes nothing. */
        post: operations["report_tool_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All known tools: those that agents can use here, the built-in ones, and whatever the configuration file or somebody
         *     since said something of.
         */
        get: operations["list_tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Says what a tool is. */
        put: operations["put_tool"];
        post?: never;
        /** Says nothing of a tool any more. */
        delete: operations["delete_tool"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What stands around a question, for whoever answers it. What the call does is drawn by the server from the stored call. */
        AboutBody: {
            /** @description The addresses that the call reaches. */
            addresses: components["schemas"]["DrawnAddress"][];
            /** @description How much, with its currency; by name where several arguments say so. */
            amount?: string | null;
            /** @description The runs from the root to the one that asks, as far as they can be read. */
            chain: components["schemas"]["ChainLink"][];
            /** @description What the agent said when it proposed the call. Nobody has checked it. */
            claim?: string | null;
            /** @description The commands of a command line, those that other commands run among them. */
            commands: components["schemas"]["DrawnCommand"][];
            /** @description What was decided about the very same call before, the latest first. */
            past: components["schemas"]["PastDecision"][];
            /** @description Whom something goes to. */
            recipients: string[];
            /** @description What of the command line was not understood: then there may be more commands than are listed. */
            unclear?: string | null;
            /**
             * @description What people said to the agent: what they started the run with, and their newest messages. What programs and other agents
             *     told it is not among them.
             */
            words: components["schemas"]["Words"][];
        };
        /** @description What a model says of a call, beside the question about it. It is no decision, and nobody has checked it. */
        AdviceBody: {
            /** @description The model, by its name in the configuration. */
            model?: string | null;
            /** @description `pending` (the model is looking at it), `given`, or `none`: it failed, or had nothing to say. */
            status: string;
            /** @description The model's words, where they are given. */
            text?: string | null;
        };
        /** @description An agent. */
        AgentBody: {
            description?: string | null;
            /** @description The model that speaks for it, by its name in the configuration. */
            model: string;
            name: string;
            /** @description Whether a script speaks for it instead of a model. */
            script: boolean;
            /** @description The tools it is offered; null is all. */
            tools?: string[] | null;
        };
        /** @description All agents. */
        AgentPage: {
            items: components["schemas"]["AgentBody"][];
            next?: string | null;
        };
        /** @description An answer that was given. */
        AnswerBody: components["schemas"]["ReplyBody"] & {
            /** @description What was decided. */
            decision: string;
            /** @description The arguments that were put in place of those that the agent proposed. */
            edited_args?: Record<string, unknown> | null;
            /** @description The digest of the call that they make. */
            edited_digest?: string | null;
            /** @description `user` or `service`. */
            kind: string;
            reason?: string | null;
            /** @description What the agent was told in place of the result. */
            replacement?: string | null;
            responded_at: string;
            /** @description Who answered. */
            user_id: string;
        };
        /** @description A call that a program would like to make. */
        AskBody: {
            /** @description The agent that makes it. Default: the name of the token, and an agent's token names no other. */
            agent?: string | null;
            /** @description The arguments. */
            args?: Record<string, unknown>;
            /** @description The working folder: an absolute path. */
            cwd?: string | null;
            /** @description What it is handed, frame by frame. A frame can only narrow. */
            delegated_permissions?: components["schemas"]["FrameBody"][];
            /** @description The same as the header `Idempotency-Key`: the same request under the same key is the same call. */
            idempotency_key?: string | null;
            org_id?: string | null;
            project_id?: string | null;
            /**
             * @description The run within which it is made: a run of the same user that goes on. Its session, folder and delegated permissions
             *     hold for the call too.
             */
            run_id?: string | null;
            /** @description The server whose tool it is. */
            server?: string | null;
            /** @description The session. Without one no answer is remembered for the rest of it. */
            session_id?: string | null;
            /** @description The tool. */
            tool: string;
            /** @description The user it is made for. Only an operator may name another than themselves. */
            user_id?: string | null;
            /** @description How long to hold the request while somebody is asked: `30s`, at most a minute. */
            wait?: string | null;
        };
        /** @description On whose behalf a question is asked. */
        AskedByBody: {
            agent: string;
            group?: string | null;
            role?: string | null;
            /** @description The runs from the root to this one. */
            run_path: string[];
            user_id?: string | null;
        };
        /** @description What the log was found to be. */
        AuditReport: {
            /**
             * Format: u-int64
             * @description At how many sizes a checkpoint was held against the tree, and held.
             */
            checkpoints: number;
            /**
             * Format: u-int64
             * @description How many entries there are.
             */
            entries: number;
            /** @description What is wrong, the first of it. */
            findings: string[];
            /** @description The public key of whoever signs, for `countersign audit verify --key`. Keep a copy where the server cannot change it. */
            key?: string | null;
            /** @description The root of the tree over them, in hexadecimal digits. */
            root: string;
            /**
             * Format: u-int64
             * @description Entries after the last checkpoint: nobody has signed for them yet.
             */
            unsigned: number;
            /**
             * Format: u-int64
             * @description Events that have no place in the log yet.
             */
            waiting: number;
            /** @description Whether nothing is wrong with it. */
            whole: boolean;
            /** @description How much is wrong. */
            wrong: number;
        };
        /** @description What happened to one call. */
        AuditedCall: {
            /** @description The agent that proposed it. */
            agent: string;
            /** @description Who answered what about it, in order. */
            answers: Record<string, unknown>[];
            /** @description When it ended, one way or another. */
            completed_at?: string | null;
            /** @description The digest of the call, as it was judged last. */
            digest?: string | null;
            /** @description Through which door it came: `runtime` where Countersign runs the agent, else the one at which a program asked. */
            door: string;
            /** @description The arguments, a JSON text. */
            input_json: string;
            /**
             * Format: u-int64
             * @description How long the tool worked.
             */
            latency_ms?: number | null;
            /** @description What the tool gave or the agent was told instead, a JSON text. */
            output_json?: string | null;
            /** @description The version of the policy that judged it last. */
            policy?: string | null;
            /** @description When the model proposed it. */
            proposed_at: string;
            /** @description Why. */
            reasons: Record<string, unknown>[];
            /** @description The run. */
            run_id: string;
            /** @description When it was first executed. */
            started_at?: string | null;
            /** @description Whoever started the run. */
            started_by: Record<string, unknown>;
            /** @description `pending`, `running`, `completed`, `error`, `denied`, `rejected`, `expired`, `cancelled` or `unknown`. */
            status: string;
            /**
             * Format: u-int32
             * @description The step in which it was proposed.
             */
            step?: number | null;
            /** @description The call. */
            tool_call_id: string;
            /** @description `server/tool`, or `tool` alone. */
            tool_name: string;
            /** @description The user on whose behalf. */
            user_id?: string | null;
        };
        /** @description A call exactly as it will be executed. */
        CallBody: {
            args: Record<string, unknown>;
            /** @description What the tool is able to do. */
            capabilities: string[];
            cwd?: string | null;
            /** @description The digest that an approval is bound to. */
            digest: string;
            /** @description What it touches. */
            resource?: string | null;
            /** @description `low`, `medium`, `high`, `critical` or `unknown`. */
            risk: string;
            server?: string | null;
            tool: string;
        };
        /** @description A page of calls. */
        CallPage: {
            items: components["schemas"]["AuditedCall"][];
            /** @description Where the next page starts; null on the last one. A page may be short, or empty, and not the last. */
            next?: string | null;
        };
        /** @description Why a run is stopped. */
        CancelBody: {
            /** @description Why, for the record. */
            reason?: string | null;
        };
        /** @description What becomes of a capability, and who says so. */
        CapabilityBody: components["schemas"]["OriginBody"] & {
            /**
             * Format: u-int32
             * @description How many different people or services must approve.
             */
            approvals?: number | null;
            /** @description Groups of people who may answer. */
            approvers: string[];
            /** @description What becomes of calls of tools that have it. */
            effect: components["schemas"]["EffectBody"];
            /** @description The capability. */
            name: string;
            /** @description Whether a remembered answer or a grant will do. */
            remember?: boolean | null;
        };
        /** @description What is to become of a capability. */
        CapabilityDraft: {
            /**
             * Format: u-int32
             * @description How many different people or services must approve.
             */
            approvals?: number | null;
            /** @description Groups of people who may answer; nobody else may. */
            approvers?: string[] | null;
            /** @description What becomes of calls of tools that have it. */
            effect: components["schemas"]["EffectBody"];
            /** @description Why it is changed. */
            reason?: string | null;
            /** @description `false`: no remembered answer and no grant will do. */
            remember?: boolean | null;
        };
        /** @description A page of capabilities. */
        CapabilityPage: {
            items: components["schemas"]["CapabilityBody"][];
            next?: string | null;
        };
        /** @description The frames of a run, the first one first. A call must pass all of them. */
        ChainBody: {
            items: components["schemas"]["FrameBody"][];
            /** @description Always null: all are on one page. */
            next?: string | null;
        };
        /** @description A run, and its agent. */
        ChainLink: {
            agent: string;
            run_id: string;
        };
        /** @description The change that made something what it is. */
        ChangedBody: {
            /** @description When. */
            at: string;
            /** @description Who. */
            by: string;
            /** @description Why. */
            reason?: string | null;
            /**
             * Format: u-int64
             * @description The version of the policy that it made.
             */
            version: number;
        };
        /** @description A call to judge. */
        CheckBody: {
            /** @description The agent that would make it. */
            agent?: string | null;
            /** @description The arguments. */
            args?: Record<string, unknown>;
            /** @description The working folder. */
            cwd?: string | null;
            /** @description The role it would act in. */
            role?: string | null;
            /** @description The server whose tool it is. */
            server?: string | null;
            /** @description The tool. */
            tool: string;
            /** @description The user it would be made for. */
            user_id?: string | null;
        };
        /** @description One thing to choose. */
        ChoiceBody: {
            description?: string | null;
            label: string;
            value: string;
        };
        /**
         * @description What can be decided.
         * @enum {string}
         */
        DecisionBody: "approve" | "edit" | "reject" | "answer" | "release" | "replace" | "happened" | "run_again" | "give_up";
        /** @description What a message did. */
        DeliveredBody: (components["schemas"]["SignalledBody"] | null) & {
            run?: components["schemas"]["RunBody"] | null;
        };
        /** @description One change to try out. */
        DraftChange: {
            /** @description What it is to be, as the body of `PUT`; null or absent if it is to be no more. */
            body?: Record<string, unknown> | null;
            /** @description Its name: of a rule, a capability or a role; of an override or a tool `tool` or `server/tool`. */
            key: string;
            /** @description What kind of thing. */
            kind: components["schemas"]["KindBody"];
            /** @description Of an override: whose it is; everybody's without it. */
            user_id?: string | null;
        };
        /** @description An address that a call reaches. */
        DrawnAddress: {
            /** @description The host in its canonical spelling. */
            host?: string | null;
            /** @description Why it may not be what it looks like. */
            odd?: string | null;
            /** @description The path, dots resolved. */
            path: string;
            /**
             * Format: u-int16
             * @description The port, if it is not the scheme's own.
             */
            port?: number | null;
            scheme: string;
        };
        /** @description One command of a command line. */
        DrawnCommand: {
            /** @description Whether another command runs it. */
            is_run: boolean;
            /** @description Files that it reads by redirection. */
            reads: string[];
            /** @description As it stands in the line, or its words where another command puts it together. */
            text: string;
            /** @description Files that it writes by redirection. */
            writes: string[];
        };
        /** @description Changes to try out, and on how many calls. */
        DryRunBody: {
            /** @description The changes, made one after the other; with none, nothing is judged otherwise. */
            changes: components["schemas"]["DraftChange"][];
            /** @description How many of the last calls are judged, 10,000 at the most. Default: 1,000. */
            last?: number | null;
        };
        /** @description What the changes would do. */
        DryRunResult: {
            /** @description The first hundred of them. */
            examples: components["schemas"]["ExampleBody"][];
            /** @description How many calls were judged. */
            looked_at: number;
            /**
             * @description How many of them hold a secret. Secrets are not kept: these were judged with the mask in its place, so a pattern or a
             *     condition about the secret itself may be told wrongly.
             */
            masked: number;
            /** @description How many of them would be judged as now. */
            unchanged: number;
            /** @description The ids of calls that would be judged otherwise, the newest first. */
            would_now_be: components["schemas"]["WouldNowBe"];
        };
        /**
         * @description What a rule or a capability does.
         * @enum {string}
         */
        EffectBody: "allow" | "require_approval" | "require_human" | "second_person" | "deny";
        /** @description What to erase. */
        Erase: {
            /** @description The run. */
            run_id: string;
            /** @description Why. It stays in the record, with who erased. */
            why: string;
        };
        /** @description What was erased. */
        Erased: {
            /**
             * Format: u-int64
             * @description In how many events there was something.
             */
            events: number;
        };
        /** @description Why a run failed. */
        ErrorBody: {
            /** @description A stable word for programs. */
            code: string;
            message: string;
        };
        /** @description One event of a run. */
        EventBody: {
            at?: string | null;
            /** @description The rest, by type. */
            data: Record<string, unknown>;
            /**
             * Format: u-int32
             * @description How many runs are above this one.
             */
            depth: number;
            /** @description The run within which this one was asked for. */
            parent_run_id?: string | null;
            run_id: string;
            /**
             * Format: u-int64
             * @description Its place, counted from 1 without gaps; absent on `step_delta`, which is not stored.
             */
            seq?: number | null;
            step_id?: string | null;
            /** @description What happened. */
            type: string;
        };
        /** @description A page of events. */
        EventPage: {
            items: components["schemas"]["EventBody"][];
            /** @description Where the next page starts; null where there is nothing more yet. */
            next?: string | null;
        };
        /** @description A call that would be judged otherwise. */
        ExampleBody: {
            /** @description The verdict with the changes. */
            after: components["schemas"]["ToldBody"];
            /** @description The verdict as the policy stands. */
            before: components["schemas"]["ToldBody"];
            call_id: string;
            /** @description What it touches. */
            resource?: string | null;
            run_id: string;
            /** @description `server/tool`, or `tool` alone. */
            tool: string;
            /** @description What decided, with the changes. */
            why: string;
        };
        /**
         * @description Whether calls of a tool are asked about.
         * @enum {string}
         */
        ExecutionBody: "auto" | "ask-once" | "ask-always";
        /** @description One part of a combined form. */
        FieldBody: components["schemas"]["FormBody"] & {
            description?: string | null;
            /** @description By which its response names it. */
            id: string;
            required: boolean;
            title: string;
        };
        /** @description What is to be filled in, by `type`. */
        FormBody: {
            /** @description Of a `confirm`: the word for no. */
            cancel_text?: string | null;
            /** @description Of a `confirm`: the word for yes. */
            confirm_text?: string | null;
            /** @description Of a `combined` form: its parts. */
            interactions?: components["schemas"]["FieldBody"][] | null;
            /** @description Of an `input`: whether several lines are expected. */
            multiline?: boolean | null;
            /** @description Of a `select`: whether more than one may be chosen. */
            multiple?: boolean | null;
            /** @description Of a `select`: what there is to choose from. */
            options?: components["schemas"]["ChoiceBody"][] | null;
            /** @description Of an `input`: what stands in the empty field. */
            placeholder?: string | null;
            /** @description `input`, `select`, `confirm` or `combined`. */
            type: string;
        };
        /** @description One limit on tools. No list is no limit, an empty list is nothing at all. */
        FrameBody: {
            /** @description Only these tools. */
            allowed_tools?: string[] | null;
            /** @description Never these tools. */
            denied_tools?: string[] | null;
        };
        /** @description A grant to give or to take back. */
        GiveBody: {
            /** @description When it ends. */
            expires_at?: string | null;
            /** @description Why. */
            reason?: string | null;
            /** @description The pattern: `bash(npm run lint)`. */
            resource: string;
        };
        /** @description One grant. */
        GrantBody: {
            /** @description When it ends. */
            expires_at?: string | null;
            given_at?: string | null;
            /** @description Who gave it. */
            given_by?: string | null;
            reason?: string | null;
            /** @description The pattern. */
            resource: string;
            /** @description `file`: the configuration file, where alone it is changed. `api`: somebody gave it while the server ran. */
            source: string;
        };
        /** @description One question put to a person. */
        InteractionBody: components["schemas"]["FormBody"] & {
            advice?: components["schemas"]["AdviceBody"] | null;
            /** @description The answers it takes. */
            allowed_decisions: string[];
            answer?: components["schemas"]["AnswerBody"] | null;
            /** @description `anyone`, `human` or `second_person`. */
            answerable_by: string;
            /** @description Approvals so far. */
            approvals: components["schemas"]["AnswerBody"][];
            /**
             * Format: u-int32
             * @description How many different principals must approve.
             */
            approvals_needed: number;
            asked_by: components["schemas"]["AskedByBody"];
            call: components["schemas"]["CallBody"];
            /** @description The key by which a signal answers it. */
            correlation_key: string;
            created_at: string;
            default?: components["schemas"]["ReplyBody"] | null;
            description: string;
            expires_at: string;
            /**
             * Format: int64
             * @description Of an open one: how many seconds are left, by the server's clock, when it was read.
             */
            expires_in_seconds?: number | null;
            id: string;
            metadata: Record<string, unknown>;
            preview?: components["schemas"]["PreviewBody"] | null;
            /**
             * @description What is asked for: `approval`, `result_review`, `question` or `uncertain_outcome`; or what a tool waits for that no person
             *     is asked about: `signal`, `message` or `timer`.
             */
            purpose: string;
            /** @description Why the policy asks. */
            reasons: components["schemas"]["ReasonBody"][];
            /** @description What an approval may have remembered. */
            remember_options: components["schemas"]["RememberOptionBody"][];
            required: boolean;
            result?: components["schemas"]["ResultBody"] | null;
            run_id: string;
            /** @description `open`, `answered`, `expired` or `cancelled`. */
            status: string;
            step_id: string;
            title: string;
            tool_call_id: string;
            tool_name: string;
        };
        /** @description A page of questions. */
        InteractionPage: {
            items: components["schemas"]["InteractionBody"][];
            /** @description Where the next page starts; null on the last one. */
            next?: string | null;
        };
        /**
         * @description What can be tried out.
         * @enum {string}
         */
        KindBody: "rule" | "capability" | "override" | "role" | "tool";
        /** @description A token that was just made. */
        MadeTokenBody: components["schemas"]["TokenBody"] & {
            /** @description The token itself. It is shown this once; only its hash is kept. */
            token: string;
        };
        /** @description A message: an answer to the question with the key, or without one a letter to the agent. */
        MessageBody: {
            /** @description By which way it came, for the record: `mail`, `chat`. */
            channel?: string | null;
            /** @description The key of a question that it answers. */
            correlation_key?: string | null;
            decision?: components["schemas"]["DecisionBody"] | null;
            payload?: components["schemas"]["PayloadBody"] | null;
            /** @description What it says. */
            text?: string | null;
        };
        /** @description A page of messages. */
        MessagePage: {
            /** @description Of the newest runs, in the order in which they were said. */
            items: components["schemas"]["SessionMessage"][];
            /** @description Where earlier runs start; null on the last page. */
            next?: string | null;
        };
        /** @description Whose token it will be. */
        NewTokenBody: {
            /** @description For an agent: the user it acts for. */
            acts_for?: string | null;
            /** @description The groups of approvers that its holder belongs to. */
            groups?: string[];
            /** @description `user`, `agent` or `service`. */
            kind: string;
            name: string;
            /** @description `viewer` (the default), `approver` or `operator`. An agent has none. */
            role?: string | null;
        };
        /** @description Where a thing of the policy comes from. */
        OriginBody: {
            changed?: components["schemas"]["ChangedBody"] | null;
            /** @description `file`: the configuration file, where alone it is changed. `api`: somebody made it while the server ran. */
            source: string;
        };
        /** @description An override, and where it comes from. */
        OverrideBody: components["schemas"]["OriginBody"] & {
            execution?: components["schemas"]["ExecutionBody"] | null;
            result?: components["schemas"]["ResultReviewBody"] | null;
            /** @description The tool: `tool` or `server/tool`, `*` as wildcard. */
            tool: string;
            /** @description Whose it is; null is everybody's. */
            user_id?: string | null;
        };
        /** @description What an override is to say. */
        OverrideDraft: {
            execution?: components["schemas"]["ExecutionBody"] | null;
            /** @description Why it is changed. */
            reason?: string | null;
            result?: components["schemas"]["ResultReviewBody"] | null;
        };
        /** @description A page of overrides. */
        OverridePage: {
            items: components["schemas"]["OverrideBody"][];
            next?: string | null;
        };
        /** @description A response to one part of a combined form. */
        PartBody: {
            /** @description To a `confirm`: yes or no. */
            confirmed?: boolean | null;
            /** @description The part's id. */
            request_id: string;
            /** @description To a `combined` form: a response to each part. */
            responses?: components["schemas"]["PartBody"][] | null;
            /** @description To a `select`: the values that were chosen. */
            selected_values?: string[] | null;
            /** @description To an `input`: the words. */
            text?: string | null;
            /** @description The kind of the part; the request says it. */
            type?: string | null;
        };
        /** @description What was decided before. */
        PastDecision: {
            /** @description Who asked. */
            agent: string;
            answer?: components["schemas"]["AnswerBody"] | null;
            /** @description The question. */
            interaction_id: string;
        };
        /** @description The rest of an answer. */
        PayloadBody: {
            /** @description To a `confirm`: yes or no. */
            confirmed?: boolean | null;
            /** @description Why. The agent is told. */
            reason?: string | null;
            /** @description To a `combined` form: a response to each part. */
            responses?: components["schemas"]["PartBody"][] | null;
            /** @description To a `select`: the values that were chosen. */
            selected_values?: string[] | null;
            /** @description To an `input`: the words. */
            text?: string | null;
        };
        /** @description The grants of a user: those that the configuration file names, and those that were given while the server ran. */
        PermissionsBody: {
            /** @description What is allowed. */
            allow: components["schemas"]["GrantBody"][];
            /** @description What is denied. */
            deny: components["schemas"]["GrantBody"][];
        };
        /** @description One change of the policy. Each is a version of it. */
        PolicyChangeBody: {
            /** @description What it is since; null if it is no more. */
            after?: unknown;
            /** @description When. */
            at: string;
            /** @description What it was; null if there was nothing. */
            before?: unknown;
            /** @description Who. */
            by: string;
            /** @description The name of the thing; of a grant its pattern, of an override its tool. */
            key: string;
            /**
             * @description What kind of thing: `rule`, `capability`, `override`, `role`, `tool`, `grant`, or `configuration` for a file that was
             *     read anew.
             */
            kind: string;
            /** @description Of a grant or an override: whose it is. */
            user_id?: string | null;
            /**
             * Format: u-int64
             * @description The version that it made.
             */
            version: number;
            /** @description Why. */
            why?: string | null;
        };
        /** @description A page of changes. */
        PolicyChangePage: {
            items: components["schemas"]["PolicyChangeBody"][];
            next?: string | null;
        };
        /** @description What a call would do. An approval is bound to it: a file that has changed since is not touched. */
        PreviewBody: {
            /** @description The digest of the file that it was drawn from. None: there was no file. */
            digest?: string | null;
            /** @description `place` (only where the path leads), `diff` or `note`. */
            kind: string;
            /** @description Where the path of the call leads, links followed. */
            path: string;
            /** @description A unified diff, or a note in words. What is left out of it says so. */
            text?: string | null;
        };
        /** @description Somebody who is signed in. */
        PrincipalBody: {
            /** @description For an agent: the user it acts for. */
            acts_for?: string | null;
            /** @description The groups of approvers they belong to. */
            groups: string[];
            /** @description `user`, `agent` or `service`. */
            kind: string;
            /** @description Their name. */
            name: string;
            /** @description `viewer`, `approver` or `operator`. */
            role: string;
        };
        /** @description What went wrong, and what to do about it. */
        Problem: {
            /** @description A stable word for programs: `NOT_FOUND`, `ALREADY_ANSWERED`, `EXPIRED`, `PERMISSION_DENIED`, `INVALID`, `DISK_FULL`, `SEALED`… */
            code: string;
            /** @description What was wrong, in a sentence. */
            detail: string;
            /**
             * Format: u-int16
             * @description The HTTP status.
             */
            status: number;
            /** @description The HTTP status in words. */
            title: string;
            /** @description What kind of problem, as an address; `about:blank` where the code says it all. */
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** @description One layer of the policy and what it said. */
        ReasonBody: {
            layer: string;
            /** @description The rule, grant, capability, role or frame that said it. */
            name?: string | null;
            /** @description `allow`, `ask`, `deny` or `silent`. */
            said: string;
            /** @description Why, for people. */
            text: string;
        };
        /** @description What came of reading the configuration anew. */
        Reloaded: {
            /** @description Where it differs from the one before: `policy`, `agents.assistant`. */
            changed: string[];
            /** @description Where it differs in what counts only after a restart: `server.listen`. */
            needs_restart: string[];
            /** @description The version of the policy that is in force now. */
            policy: string;
        };
        /** @description What is allowed from now on. */
        RememberBody: {
            /** @description When that ends. */
            expires_at?: string | null;
            /** @description One of the request's `remember_options`. */
            pattern: string;
            scope?: components["schemas"]["ScopeBody"] | null;
        };
        /** @description Something that an approval may have remembered. */
        RememberOptionBody: {
            /** @description What that is, for people. */
            label: string;
            /** @description The pattern, exactly as it will match. */
            pattern: string;
        };
        /** @description What was filled in. */
        ReplyBody: {
            /** @description Into a `confirm`. */
            confirmed?: boolean | null;
            /** @description Into a `combined` form: each part with its `request_id`. */
            responses?: Record<string, unknown>[] | null;
            /** @description Into a `select`. */
            selected_values?: string[] | null;
            /** @description Into an `input`. */
            text?: string | null;
        };
        /** @description What came of a call. */
        ReportBody: {
            /** @description Whether it failed. */
            failed?: boolean;
            /**
             * Format: u-int64
             * @description How long the tool worked, in milliseconds.
             */
            latency_ms?: number | null;
            /** @description What the tool gave: a text, or any JSON, which is kept as its text. */
            output: unknown;
            /** @description How long to hold the request while somebody looks at the result: `30s`, at most a minute. */
            wait?: string | null;
        };
        /**
         * @description The kind of a tool's resource and the arguments that name it: exactly one kind, or `none: true` for a tool that touches
         *     nothing.
         */
        ResourceBody: {
            /** @description A command line for a POSIX shell. */
            command?: string[] | null;
            /** @description Nothing that could be named. */
            none?: boolean | null;
            /** @description A path. */
            path?: string[] | null;
            /** @description Text; `["*"]` for all arguments as canonical JSON. */
            text?: string[] | null;
            /** @description A URL. */
            url?: string[] | null;
        };
        /** @description An answer. */
        RespondBody: {
            /** @description To a `confirm`: yes or no. */
            confirmed?: boolean | null;
            decision?: components["schemas"]["DecisionBody"] | null;
            /** @description With `edit`, or with `approve`: the arguments to make the call with in place of those that were proposed. */
            edited_args?: Record<string, unknown> | null;
            /** @description Why. The agent is told. */
            reason?: string | null;
            remember?: components["schemas"]["RememberBody"] | null;
            /**
             * @description With `replace`: what the agent is told in place of the result. With `answer` to an approval: what it is told in place
             *     of using the tool.
             */
            replacement?: string | null;
            /** @description The request it answers; must be the one in the address. */
            request_id?: string | null;
            /** @description When it was given, in the answerer's eyes; the server's time counts. */
            responded_at?: string | null;
            /** @description To a `combined` form: a response to each part. */
            responses?: components["schemas"]["PartBody"][] | null;
            /** @description To a `select`: the values that were chosen. */
            selected_values?: string[] | null;
            /** @description To an `input`: the words. With `answer` to an approval: the same as `replacement`. */
            text?: string | null;
            /** @description The kind of the form, as in the request. */
            type?: string | null;
            /** @description Whoever is signed in; another one is refused. */
            user_id?: string | null;
        };
        /** @description What an answer did. */
        RespondedBody: {
            /** @description The question as it stands now. */
            interaction_request: components["schemas"]["InteractionBody"];
            /** @description Whether the same answer had been given before. */
            repeated: boolean;
        };
        /** @description What a tool gave. */
        ResultBody: {
            /** @description Whether the tool failed. */
            failed: boolean;
            output: string;
        };
        /**
         * @description Whether results of a tool are held for review.
         * @enum {string}
         */
        ResultReviewBody: "never" | "on-error" | "always";
        /**
         * @description How dangerous a tool is.
         * @enum {string}
         */
        RiskBody: "low" | "medium" | "high" | "critical" | "unknown";
        /** @description A role, and where it comes from. */
        RoleBody: components["schemas"]["OriginBody"] & {
            /** @description Only these tools; null is no restriction, an empty list none at all. */
            allowed_tools?: string[] | null;
            /** @description Never these tools. */
            denied_tools?: string[] | null;
            /** @description What it is for. */
            description?: string | null;
            /** @description Its name. */
            name: string;
        };
        /** @description What a role is to be. */
        RoleDraft: {
            /** @description Only these tools; null is no restriction, an empty list none at all. */
            allowed_tools?: string[] | null;
            /** @description Never these tools. */
            denied_tools?: string[] | null;
            /** @description What it is for. */
            description?: string | null;
            /** @description Why it is changed. */
            reason?: string | null;
        };
        /** @description A page of roles. */
        RolePage: {
            items: components["schemas"]["RoleBody"][];
            next?: string | null;
        };
        /** @description A rule, and where it comes from. */
        RuleBody: components["schemas"]["OriginBody"] & {
            /**
             * Format: u-int32
             * @description How many different people or services must approve.
             */
            approvals?: number | null;
            /** @description Groups of people who may answer. */
            approvers: string[];
            /** @description The rule that it stands directly before. */
            before?: string | null;
            /** @description For the reader. */
            description?: string | null;
            effect?: components["schemas"]["EffectBody"] | null;
            /** @description Its name, as reasons give it. */
            name: string;
            /**
             * Format: int64
             * @description Lower is looked at first; of those of one priority, the one that is listed first.
             */
            priority: number;
            /** @description Whether a remembered answer or a grant will do. */
            remember?: boolean | null;
            /** @description The server whose tools it is about; null is every server, and tools without one. */
            server?: string | null;
            /** @description The tools it is about. */
            tool: string;
            /** @description A condition in CEL. */
            when?: string | null;
        };
        /** @description What a rule is to be. */
        RuleDraft: {
            /**
             * Format: u-int32
             * @description How many different people or services must approve.
             */
            approvals?: number | null;
            /** @description Groups of people who may answer; nobody else may. */
            approvers?: string[] | null;
            /** @description The rule that it is to stand directly before, with the same priority. */
            before?: string | null;
            /** @description For the reader. */
            description?: string | null;
            /** @description What it does. */
            effect: components["schemas"]["EffectBody"];
            /** @description Its name. In the address it need not be said again. */
            name?: string | null;
            /**
             * Format: int64
             * @description Lower is looked at first. Default: 100.
             */
            priority?: number | null;
            /** @description Why it is changed. */
            reason?: string | null;
            /** @description `false`: no remembered answer and no grant will do. */
            remember?: boolean | null;
            /** @description The server whose tools it is about, `*` as wildcard. Without it: every server, and tools without one. */
            server?: string | null;
            /** @description The tools it is about: a pattern, brackets included; `*` for all. */
            tool: string;
            /** @description A condition in CEL over `args`, `call`, `user`, `agent`, `run` and `now`. */
            when?: string | null;
        };
        /** @description A page of rules. */
        RulePage: {
            items: components["schemas"]["RuleBody"][];
            next?: string | null;
        };
        /** @description A run. */
        RunBody: {
            agent: string;
            created_at: string;
            cwd?: string | null;
            delegated_permissions: components["schemas"]["FrameBody"][];
            error?: components["schemas"]["ErrorBody"] | null;
            group?: string | null;
            id: string;
            input: string;
            /** @description `agent`: an agent works here. `call`: one call that a program outside makes itself. */
            kind: string;
            org_id?: string | null;
            /** @description What the agent said last, once it is done. */
            output?: string | null;
            parent_run_id?: string | null;
            project_id?: string | null;
            role?: string | null;
            /**
             * Format: u-int64
             * @description How many events it has.
             */
            seq: number;
            session_id?: string | null;
            /** @description `queued`, `running`, `waiting`, `completed`, `failed`, `cancelled` or `set_aside`. */
            status: string;
            updated_at: string;
            usage: components["schemas"]["UsageBody"];
            user_id?: string | null;
            /** @description The questions it waits for. */
            waiting_on: string[];
        };
        /** @description A page of runs. */
        RunPage: {
            items: components["schemas"]["RunBody"][];
            /** @description Where the next page starts; null on the last one. */
            next?: string | null;
        };
        /**
         * @description For whom something is remembered.
         * @enum {string}
         */
        ScopeBody: "user" | "everyone";
        /** @description A session. */
        SessionBody: {
            created_at: string;
            id: string;
            /** @description Its newest run. */
            newest_run_id: string;
            /**
             * Format: u-int64
             * @description How many runs it has.
             */
            runs: number;
            updated_at: string;
        };
        /** @description Something that was said. */
        SessionMessage: {
            /** @description `user`, `assistant` or `tool`. */
            role: string;
            /** @description The run in which it was said. */
            run_id: string;
            text: string;
            /** @description For `tool`: its name. */
            tool_name?: string | null;
        };
        /** @description A page of sessions. */
        SessionPage: {
            items: components["schemas"]["SessionBody"][];
            /** @description Where the next page starts; null on the last one. */
            next?: string | null;
        };
        /** @description One of the two. */
        SignInBody: {
            /** @description The secret of a one-time sign-in link. */
            link?: string | null;
            /** @description A personal token. */
            token?: string | null;
        };
        /** @description A signal. Its decision is part of it, so that a reject can never be read as an approve. */
        SignalBody: {
            /** @description The key of the question: `cap-approval-…`. */
            correlation_key: string;
            decision?: components["schemas"]["DecisionBody"] | null;
            payload?: components["schemas"]["PayloadBody"] | null;
        };
        /** @description What a signal did. */
        SignalledBody: {
            /** @description The question as it stands now. */
            interaction_request: components["schemas"]["InteractionBody"];
            /** @description Whether the same signal had been sent before. */
            repeated: boolean;
        };
        /** @description What an agent is asked to do. */
        StartBody: {
            /** @description The agent, by its name in the configuration. */
            agent: string;
            /** @description The working folder of its tools: an absolute path. */
            cwd?: string | null;
            /** @description What it is handed, frame by frame. A frame can only narrow. */
            delegated_permissions?: components["schemas"]["FrameBody"][];
            /** @description What it is asked. */
            input: string;
            org_id?: string | null;
            project_id?: string | null;
            /** @description The session; a new one if there is none. */
            session_id?: string | null;
            /** @description The user the run belongs to. Only an operator may name another than themselves. */
            user_id?: string | null;
        };
        /** @description A question, and the run that waits for it. */
        SuspendedBody: {
            about?: components["schemas"]["AboutBody"] | null;
            /** @description The question. */
            interaction_request: components["schemas"]["InteractionBody"];
            /** @description The run. */
            run_id: string;
            /** @description Since when. */
            suspended_at: string;
        };
        /** @description What is told of a token. */
        TokenBody: {
            /** @description For an agent: the user it acts for. */
            acts_for?: string | null;
            created_at: string;
            /** @description The groups of approvers that its holder belongs to. */
            groups: string[];
            /** @description `tok_…`: no secret. */
            id: string;
            /** @description `user`, `agent` or `service`. */
            kind: string;
            name: string;
            /** @description Since when it does not hold any more. */
            revoked_at?: string | null;
            /** @description `viewer`, `approver` or `operator`. */
            role: string;
        };
        /** @description All tokens: there are as many as somebody made. */
        TokenPage: {
            items: components["schemas"]["TokenBody"][];
            /** @description Always null: all are on one page. */
            next?: string | null;
        };
        /** @description A verdict. */
        ToldBody: {
            /**
             * Format: u-int32
             * @description For an ask: how many must approve.
             */
            approvals?: number | null;
            /** @description For an ask: `anyone`, `human` or `second_person`. */
            by?: string | null;
            /** @description For an ask: `once` or `always`. */
            mode?: string | null;
            /** @description `allow`, `ask` or `deny`. */
            verdict: string;
        };
        /** @description A tool, and what is known of it. */
        ToolBody: {
            /** @description The arguments it knows; null where nobody says. */
            arguments?: string[] | null;
            /** @description What it is able to do. */
            capabilities: string[];
            /** @description What it does. */
            description?: string | null;
            /**
             * @description Whether its calls are asked about where nothing above the tool speaks, overrides included: `auto`, `ask-once`,
             *     `ask-always` or `deny`; null where nobody says.
             */
            execution?: string | null;
            /** @description Whether running it twice does no more than running it once, where somebody says. */
            idempotent?: boolean | null;
            /** @description The JSON Schema of its arguments, for a tool that agents can use here. */
            parameters?: Record<string, unknown> | null;
            /** @description Which arguments name what a call touches. */
            resource: components["schemas"]["ResourceBody"];
            /** @description Whether its results are held for review, overrides included. */
            result: components["schemas"]["ResultReviewBody"];
            /** @description How dangerous it is. */
            risk: string;
            said?: components["schemas"]["OriginBody"] | null;
            /** @description The server it belongs to; null for built-in tools and those of outside programs. */
            server?: string | null;
            /** @description `built-in`, or as of everything in the policy `file` or `api`: whoever says something of it first. */
            source: string;
            /**
             * Format: double
             * @description How long it may take, in seconds, where somebody says.
             */
            timeout_seconds?: number | null;
            /** @description Its name; in an entry about several tools, `*` as wildcard. */
            tool: string;
        };
        /** @description A call, and what was decided about it. */
        ToolCallBody: {
            /**
             * @description With `allow`, where somebody edited the arguments: make the call with these, and no others. Only whoever asked is
             *     given them.
             */
            args?: Record<string, unknown> | null;
            /** @description With `deny`, why: `PERMISSION_DENIED`, `TOO_MANY_QUESTIONS`, `REJECTED`, `EXPIRED`, `CANCELLED`, or `ANSWERED`. */
            code?: string | null;
            /** @description `allow`: make it, once, and report; where `result` is there, it was made. `deny`: do not make it. `pending`: somebody is asked; wait. */
            decision: string;
            /** @description When the question ends unanswered; of an allowed call, until when its report is waited for. */
            expires_at?: string | null;
            /** @description `call_…` */
            id: string;
            /** @description The question that is open. */
            interaction_id?: string | null;
            /** @description With `deny`: what to tell the agent. */
            message?: string | null;
            /** @description With `deny` and the code `ANSWERED`: what somebody said in the tool's place. */
            output?: string | null;
            /** @description Each layer of the policy that was consulted and what it said; the last one decided. */
            reasons: components["schemas"]["ReasonBody"][];
            result?: components["schemas"]["ToolResultBody"] | null;
            /** @description The run that it is. */
            run_id: string;
        };
        /** @description What is to be said of a tool. What is left out stays as the tool has it. */
        ToolDraft: {
            /** @description The arguments it knows. A call with any other is asked about, whatever allows it. */
            arguments?: string[] | null;
            /** @description What it is able to do. */
            capabilities?: string[] | null;
            /** @description What it does, for people. */
            description?: string | null;
            execution?: components["schemas"]["ExecutionBody"] | null;
            /** @description Whether running it twice does no more than running it once. */
            idempotent?: boolean | null;
            /** @description Why it is changed. */
            reason?: string | null;
            resource?: components["schemas"]["ResourceBody"] | null;
            result?: components["schemas"]["ResultReviewBody"] | null;
            risk?: components["schemas"]["RiskBody"] | null;
            /** @description How long it may take: `30s`. */
            timeout?: string | null;
        };
        /** @description A page of tools. */
        ToolPage: {
            items: components["schemas"]["ToolBody"][];
            next?: string | null;
        };
        /** @description What became of the report of a call. */
        ToolResultBody: {
            /** @description Whether the tool failed. */
            failed?: boolean | null;
            /** @description The question that is open about it. */
            interaction_id?: string | null;
            /** @description What the agent may see. */
            output?: string | null;
            /**
             * @description `released`: the agent may see it. `replaced`: the agent sees `output` in its place. `withheld`: the agent does not see
             *     it. `pending`: somebody looks at it first. `unknown`: nothing was reported in time.
             */
            state: string;
        };
        /** @description A run, and below it the runs that belong to it. */
        TreeBody: {
            /** @description The calls of programs outside that were made within it, the newest first. They start none themselves. */
            children: components["schemas"]["RunBody"][];
            /** @description Whether those are all. So many runs may have been started since that not all of them were looked at. */
            complete: boolean;
            run: components["schemas"]["RunBody"];
        };
        /** @description Why a change is undone. */
        UndoBody: {
            /** @description Why. */
            reason?: string | null;
        };
        /** @description Tokens used. */
        UsageBody: {
            /** Format: u-int64 */
            input_tokens: number;
            /** Format: u-int64 */
            output_tokens: number;
        };
        /** @description A verdict. */
        VerdictBody: {
            /** @description For an ask: who may answer. */
            by?: string | null;
            /** @description What the tool is able to do. */
            capabilities: string[];
            /** @description The digest that an approval would be bound to. */
            digest: string;
            /** @description For an ask: `once` or `always`. */
            mode?: string | null;
            /** @description The version of the policy. */
            policy: string;
            /** @description Each layer that was consulted and what it said; the last one decided. */
            reasons: components["schemas"]["ReasonBody"][];
            /** @description What an agent would be told of a refusal. */
            refusal?: string | null;
            /** @description What the call touches. */
            resource?: string | null;
            /** @description How dangerous it is. */
            risk: string;
            /** @description `allow`, `ask` or `deny`. */
            verdict: string;
        };
        /** @description What a run waits for. */
        WaitsBody: components["schemas"]["SuspendedBody"] & {
            /** @description All of them, where several calls wait. */
            all: components["schemas"]["SuspendedBody"][];
        };
        /** @description Why. */
        WhyBody: {
            /** @description Why. The agent is told. */
            reason?: string | null;
        };
        /** @description What somebody said. */
        Words: {
            text: string;
            /** @description Who. */
            user_id: string;
        };
        /** @description The ids of calls that would be judged otherwise. */
        WouldNowBe: {
            /** @description Would be made without a question. */
            allowed: string[];
            /** @description Would be asked about, or be asked about in another way. */
            asked: string[];
            /** @description Would be refused. */
            denied: string[];
        };
        /** @description Something that is wrong with a policy that somebody wants. */
        WrongBody: {
            /** @description The name of the thing. */
            key?: string | null;
            /** @description What kind of thing it is wrong with: `rule`, `capability`, `override`, `role`, `tool`, `grant`. */
            kind?: string | null;
            /** @description Where in the thing, or else in the configuration: `when`, `approvers[1]`. */
            place: string;
            /** @description What is wrong there, and what to do. */
            text: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_agents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentPage"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_audit: {
        parameters: {
            query?: {
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description At most so many calls, up to 200, and those that were made in the same run. Default: 50. */
                limit?: number;
                /** @description Only calls on behalf of this user. */
                user_id?: string;
                /** @description Only calls of this agent. */
                agent?: string;
                /** @description Only calls of this tool: `server/tool`, or `tool` alone. */
                tool?: string;
                /** @description Only calls that stand so. */
                status?: string;
                /** @description Only calls proposed since then. */
                since?: string;
                /** @description Only calls proposed before then. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallPage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    erase_texts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Erase"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erased"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_audit: {
        parameters: {
            query: {
                /** @description In which form. */
                format: "csv" | "json" | "jsonl";
                /** @description For `jsonl`: give each entry its own proof, also where the log is whole and needs none. */
                proofs?: boolean;
                /** @description Only calls of this run. */
                run_id?: string;
                /** @description Only calls on behalf of this user. */
                user_id?: string;
                /** @description Only calls of this agent. */
                agent?: string;
                /** @description Only calls of this tool: `server/tool`, or `tool` alone. */
                tool?: string;
                /** @description Only calls that stand so. */
                status?: string;
                /** @description Only calls proposed since then. */
                since?: string;
                /** @description Only calls proposed before then. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": components["schemas"]["AuditedCall"][];
                    "application/jsonl": string;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nothing is signed yet */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verify_audit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditReport"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_capabilities: {
        parameters: {
            query?: {
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description At most so many, up to 1000. Default: 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityPage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_capability: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The capability */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CapabilityDraft"];
            };
        };
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_capability: {
        parameters: {
            query?: {
                /** @description Why. */
                reason?: string;
            };
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The capability */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reload_config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reloaded"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_interactions: {
        parameters: {
            query?: {
                /** @description `open` (the default), `answered`, `expired`, `cancelled` or `all`. */
                status?: string;
                /** @description Only those of this run. */
                run_id?: string;
                /**
                 * @description Only open ones in which all of these words occur: in what is asked, the tool, how dangerous it is, or who asks.
                 *     Upper and lower case are the same; at most 20 words.
                 */
                search?: string;
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description At most so many, up to 200. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InteractionPage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    follow_interactions: {
        parameters: {
            query?: {
                /**
                 * @description Only what came after the event with this id; 0 is the beginning. `Last-Event-ID` goes before it. Without either the
                 *     stream begins with the present.
                 */
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_interaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `int_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuspendedBody"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    respond: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `int_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RespondBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RespondedBody"];
                    "text/event-stream": string;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    message_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveredBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signal_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignalBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignalledBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrincipalBody"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_overrides: {
        parameters: {
            query?: {
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description At most so many, up to 1000. Default: 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverridePage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_overrides: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tool: `tool` or `server/tool`, the slash as `%2F` */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverridePage"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_override: {
        parameters: {
            query?: {
                /** @description Whose; everybody's without it. */
                user_id?: string;
            };
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The tool: `tool` or `server/tool`, the slash as `%2F` */
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverrideDraft"];
            };
        };
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverrideBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_override: {
        parameters: {
            query?: {
                /** @description Whose; everybody's without it. */
                user_id?: string;
                /** @description Why. */
                reason?: string;
            };
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The tool: `tool` or `server/tool`, the slash as `%2F` */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_permissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Whose */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionsBody"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not theirs to see */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    allow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request under the same key makes nothing new */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description Whose */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GiveBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionsBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not theirs to see */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    take_back_allow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Whose */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GiveBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionsBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deny: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request under the same key makes nothing new */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description Whose */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GiveBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionsBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such thing, or it is not theirs to see */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    take_back_deny: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Whose */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GiveBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionsBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_policy_changes: {
        parameters: {
            query?: {
                /** @description `next` of an earlier page. */
                after?: number;
                /** @description At most so many, up to 200. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangePage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undo_policy_change: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
                /** @description The same request under the same key makes nothing new */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description The version that the change made */
                version: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoBody"];
            };
        };
        responses: {
            /** @description The same was asked for before, under the same key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeBody"];
                };
            };
            201: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyChangeBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_policy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerdictBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dry_run_policy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DryRunBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRunResult"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_roles: {
        parameters: {
            query?: {
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description At most so many, up to 1000. Default: 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolePage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The role's name */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleDraft"];
            };
        };
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_role: {
        parameters: {
            query?: {
                /** @description Why. */
                reason?: string;
            };
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The role's name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_rules: {
        parameters: {
            query?: {
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description At most so many, up to 1000. Default: 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RulePage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_rule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
                /** @description The same request under the same key makes nothing new */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleDraft"];
            };
        };
        responses: {
            /** @description The same was asked for before, under the same key: the rule as it stands */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleBody"];
                };
            };
            201: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The rule was made, and taken away since */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_rule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The rule's name */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleDraft"];
            };
        };
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_rule: {
        parameters: {
            query?: {
                /** @description Why. */
                reason?: string;
            };
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The rule's name */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_runs: {
        parameters: {
            query?: {
                /** @description Only those of this kind: `agent` or `call`. */
                kind?: string;
                /** @description Only those of this session. */
                session_id?: string;
                /**
                 * @description Only those that stand so: `queued`, `running`, `waiting`, `completed`, `failed`, `cancelled` or `set_aside`. A page may then
                 *     hold fewer than asked for, and `next` goes on.
                 */
                status?: string;
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description At most so many, up to 200. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    start_run: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request under the same key makes nothing new */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartBody"];
            };
        };
        responses: {
            /** @description The same was started before, under the same key; or the run's events, as they happen */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunBody"];
                    "text/event-stream": string;
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunBody"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_delegated_permissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainBody"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    narrow_run: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request under the same key makes nothing new */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FrameBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run_events: {
        parameters: {
            query?: {
                /** @description Only events after this `seq`. A stream takes `Last-Event-ID` before it. */
                after?: number;
                /** @description For a list: at most so many, up to 1000. Default: 200. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                    "text/event-stream": string;
                };
            };
            /** @description The stream of a run that has ended, after its last event */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    message_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveredBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignalBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignalledBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run_suspended: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitsBody"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approve_tool_call: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
                /** @description `call_…` */
                tool_call_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WhyBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignalledBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    decline_tool_call: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
                /** @description `call_…` */
                tool_call_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WhyBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignalledBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run_tree: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `run_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TreeBody"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: {
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description At most so many, up to 200. Default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_messages: {
        parameters: {
            query?: {
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description Of at most so many runs, up to 50. Default: 20. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description the session */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrincipalBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sign_out: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenPage"];
                };
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request under the same key makes nothing new */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTokenBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeTokenBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `TOKEN_SHOWN_ONCE`: the same request made the token `id` before, under the same key */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `tok_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request cannot be understood */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ask_tool_call: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same request under the same key makes nothing new */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskBody"];
            };
        };
        responses: {
            /** @description The same was asked before, under the same key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallBody"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_tool_call: {
        parameters: {
            query?: {
                /** @description How long to hold the request while something is left to decide: `30s`, at most a minute. */
                wait?: string;
            };
            header?: never;
            path: {
                /** @description `call_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    report_tool_call: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `call_…` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolCallBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_tools: {
        parameters: {
            query?: {
                /** @description `next` of an earlier page. */
                after?: string;
                /** @description At most so many, up to 1000. Default: 200. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolPage"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Whoever asks may not, or another site's page asks */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_tool: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The tool: `tool` or `server/tool`, the slash as `%2F` */
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolDraft"];
            };
        };
        responses: {
            200: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolBody"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than 1 MiB */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A browser sent the body as something else than JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_tool: {
        parameters: {
            query?: {
                /** @description Why. */
                reason?: string;
            };
            header?: {
                /** @description The `ETag` of what was seen */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The tool: `tool` or `server/tool`, the slash as `%2F` */
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    /** @description The version of the policy */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More requests than `server.rate_limit` lets one principal send: try again after `Retry-After` seconds */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database does not answer, or cannot write; nothing was changed */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
