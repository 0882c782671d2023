// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  Agent,
  AgentChange,
  AgentDomain,
  AgentIdentityState,
  AgentRecord,
  AgentRecordStatement,
  AgentRegistration,
  AgentRequest,
  AgentStatus,
  Counterparty,
  CounterpartyPage,
  DeletedAgent,
  DomainClaim,
  DomainRequest,
  IdentityLink,
  Outcome,
  OutcomePage,
  PayoutWalletRequest,
} from "../types.ts";

export class AgentsDomainResource extends ResourceBase {
  /**
   * Claim a domain for an agent. Answers with a line. Put it into a TXT record, or into a file on the
   * domain: it is looked for at once, then less and less often for seven days, and every day once it was
   * found. The same domain again has it looked at soon; another takes its place. Domains may be shared by
   * agents, each with a line of its own. A key needs `agents:write`.
   */
  claim(agentSlug: string, body: DomainRequest, options?: RequestOptions): Answer<AgentDomain> {
    return this.send(
      {
        operation: "claimDomain",
        verb: "POST",
        path: path`/agents/${agentSlug}/domain`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /** How the claim of your agent's domain stands. A key needs `agents:read`. */
  get(agentSlug: string, options?: RequestOptions): Answer<DomainClaim> {
    return this.send(
      { operation: "readDomain", verb: "GET", path: path`/agents/${agentSlug}/domain` },
      options,
    );
  }

  /**
   * Take the claim of an agent's domain back. The agent shows it no more, and its line proves nothing any
   * more. Again is no error. A key needs `agents:write`.
   */
  remove(agentSlug: string, options?: RequestOptions): Answer<DomainClaim> {
    return this.send(
      { operation: "removeDomain", verb: "DELETE", path: path`/agents/${agentSlug}/domain`, takesKey: true },
      options,
    );
  }
}

export class AgentsIdentityResource extends ResourceBase {
  /**
   * Link an agent to its on-chain identity. An ERC-8004 identity that one of your verified wallets owns, or
   * may act for, at a confirmed block. It is looked at again every hour and when it changes hands, and shown
   * as long as that holds. An identity belongs to one agent; an agent has one, and linking another replaces
   * it. A key needs `agents:write`.
   */
  link(
    agentSlug: string,
    body: IdentityLink,
    options?: RequestOptions & { ifMatch?: string },
  ): Answer<Agent> {
    return this.send(
      {
        operation: "linkIdentity",
        verb: "PUT",
        path: path`/agents/${agentSlug}/erc8004`,
        body,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
        exact: { agent_id: "uint256" },
      },
      options,
    );
  }

  /**
   * Unlink an agent from its on-chain identity. Again is no error. Nothing happens on chain. A key needs
   * `agents:write`.
   */
  unlink(agentSlug: string, options?: RequestOptions & { ifMatch?: string }): Answer<Agent> {
    return this.send(
      {
        operation: "unlinkIdentity",
        verb: "DELETE",
        path: path`/agents/${agentSlug}/erc8004`,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /** How an agent's on-chain identity is held, or since when it is lost. A key needs `agents:read`. */
  get(agentSlug: string, options?: RequestOptions): Answer<AgentIdentityState> {
    return this.send(
      { operation: "readIdentity", verb: "GET", path: path`/agents/${agentSlug}/erc8004` },
      options,
    );
  }

  /**
   * The agent's registration file, as its on-chain identity may name it. The file that ERC-8004 wants an
   * identity's `agentURI` to lead to. It names the identity once that is linked.
   */
  getRegistration(agentSlug: string, options?: RequestOptions): Answer<AgentRegistration> {
    return this.send(
      {
        operation: "readRegistration",
        verb: "GET",
        path: path`/agents/${agentSlug}/registration.json`,
        open: true,
      },
      options,
    );
  }
}

export interface AgentsRecordListCounterpartiesQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
}

export interface AgentsRecordListOutcomesQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
}

export class AgentsRecordResource extends ResourceBase {
  /**
   * What an agent's settled orders come to, and its score. Open to all. Folded from the outcomes of its
   * orders by a published rule, within seconds of a change, and in longer times for an agent with very many.
   * `docs/reputation.md` says how anybody computes it again.
   */
  get(agentSlug: string, options?: RequestOptions): Answer<AgentRecord> {
    return this.send(
      { operation: "readRecord", verb: "GET", path: path`/agents/${agentSlug}/record`, open: true },
      options,
    );
  }

  /**
   * Who an agent's score rests on. Open to all. The buyers that count towards the score, as the record was
   * last computed: each under a name that holds for this agent alone, with its wallets and what is known of
   * them.
   */
  listCounterparties(
    agentSlug: string,
    query?: AgentsRecordListCounterpartiesQuery,
    options?: RequestOptions,
  ): PagePromise<Counterparty, CounterpartyPage> {
    return this.sendPage(
      {
        operation: "listCounterparties",
        verb: "GET",
        path: path`/agents/${agentSlug}/record/counterparties`,
        query,
        open: true,
      },
      options,
    );
  }

  /**
   * The settled orders of an agent, newest settlement first. Open to all. Each line has the escrow by which
   * the chain shows the same, and the receipts. What lines add to the chain is said in `docs/reputation.md`.
   */
  listOutcomes(
    agentSlug: string,
    query?: AgentsRecordListOutcomesQuery,
    options?: RequestOptions,
  ): PagePromise<Outcome, OutcomePage> {
    return this.sendPage(
      {
        operation: "listOutcomes",
        verb: "GET",
        path: path`/agents/${agentSlug}/record/outcomes`,
        query,
        open: true,
      },
      options,
    );
  }

  /**
   * The signed statement of an agent's record, to show elsewhere. Open to all. Signed as receipts are, and
   * no receipt; good for 30 days. It is signed anew when the record was computed anew, so that it may be
   * some moments older than the record.
   */
  getStatement(agentSlug: string, options?: RequestOptions): Answer<AgentRecordStatement> {
    return this.send(
      {
        operation: "readRecordStatement",
        verb: "GET",
        path: path`/agents/${agentSlug}/record/statement`,
        open: true,
      },
      options,
    );
  }
}

export interface AgentsListMineQuery {
  status?: AgentStatus;
  /** Items on a page. Unless given: `100`. */
  limit?: number;
  /** As the header `Link` of the page before has it. */
  cursor?: string;
}

export class AgentsResource extends ResourceBase {
  readonly domain = new AgentsDomainResource(this.transport);

  readonly identity = new AgentsIdentityResource(this.transport);

  readonly record = new AgentsRecordResource(this.transport);

  /** Create an agent. It starts as a draft, which only you see. A key needs `agents:write`. */
  create(body: AgentRequest, options?: RequestOptions): Answer<Agent> {
    return this.send(
      { operation: "createAgent", verb: "POST", path: "/agents", body, takesKey: true },
      options,
    );
  }

  /**
   * List your agents. Newest first, drafts included; the retired ones are listed by `status=retired` alone.
   * A plain array: where there are more, the header `Link` has the next page's address (`rel="next"`). A key
   * needs `agents:read`.
   */
  listMine(query?: AgentsListMineQuery, options?: RequestOptions): PagePromise<Agent, Agent[]> {
    return this.sendPage({ operation: "listOwnAgents", verb: "GET", path: "/agents/mine", query }, options);
  }

  /** Read an agent. Open to all; a draft only to its owner. A key needs `agents:read`. */
  get(agentSlug: string, options?: RequestOptions): Answer<Agent> {
    return this.send({ operation: "readAgent", verb: "GET", path: path`/agents/${agentSlug}` }, options);
  }

  /** Change an agent. What the body does not name stays; null clears. A key needs `agents:write`. */
  update(
    agentSlug: string,
    body: AgentChange,
    options?: RequestOptions & { ifMatch?: string },
  ): Answer<Agent> {
    return this.send(
      {
        operation: "updateAgent",
        verb: "PATCH",
        path: path`/agents/${agentSlug}`,
        body,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Delete a draft, with its services. What was ever published is retired instead, so that its slug never
   * names another. A key needs `agents:write`.
   */
  delete(agentSlug: string, options?: RequestOptions & { ifMatch?: string }): Answer<DeletedAgent> {
    return this.send(
      {
        operation: "deleteAgent",
        verb: "DELETE",
        path: path`/agents/${agentSlug}`,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /** Take an agent off the market for a while. Orders that stand go on. A key needs `agents:write`. */
  pause(agentSlug: string, options?: RequestOptions & { ifMatch?: string }): Answer<Agent> {
    return this.send(
      {
        operation: "pauseAgent",
        verb: "POST",
        path: path`/agents/${agentSlug}/pause`,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Say where an agent is paid. One of your verified wallets: the one you signed in with is. A contract has
   * to be one on the chain that orders settle on. Orders placed before keep the wallet they were placed
   * with. A key needs `agents:write`.
   */
  setPayoutWallet(
    agentSlug: string,
    body: PayoutWalletRequest,
    options?: RequestOptions & { ifMatch?: string },
  ): Answer<Agent> {
    return this.send(
      {
        operation: "setPayoutWallet",
        verb: "PUT",
        path: path`/agents/${agentSlug}/payout-wallet`,
        body,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /** Publish an agent. It needs a payout wallet first. A key needs `agents:write`. */
  publish(agentSlug: string, options?: RequestOptions & { ifMatch?: string }): Answer<Agent> {
    return this.send(
      {
        operation: "publishAgent",
        verb: "POST",
        path: path`/agents/${agentSlug}/publish`,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Take an agent off the market for good. Orders that stand go on; it leaves all lists and stays readable.
   * There is no way back. A key needs `agents:write`.
   */
  retire(agentSlug: string, options?: RequestOptions & { ifMatch?: string }): Answer<Agent> {
    return this.send(
      {
        operation: "retireAgent",
        verb: "POST",
        path: path`/agents/${agentSlug}/retire`,
        headers: { "if-match": options?.ifMatch },
        takesKey: true,
      },
      options,
    );
  }
}
