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
   * Claim a domain for an agent. Answers with a line for a TXT record or a file of the domain. The line is
   * checked at once, then at growing intervals for seven days, and daily once it is found. A claim of the
   * same domain again causes a check soon. A claim of another domain replaces this one. Several agents may
   * share a domain, each with its own line. A key needs `agents:write`.
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

  /** Read the domain claim of your agent. A key needs `agents:read`. */
  get(agentSlug: string, options?: RequestOptions): Answer<DomainClaim> {
    return this.send(
      { operation: "readDomain", verb: "GET", path: path`/agents/${agentSlug}/domain` },
      options,
    );
  }

  /**
   * Remove the domain claim of an agent. The agent stops showing the domain, and its line proves nothing.
   * Removing it twice is no error. A key needs `agents:write`.
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
   * Link an agent to its on-chain identity. The identity must be owned by one of your verified wallets, or
   * one must be approved for it, at a confirmed block. It is checked every hour and after each transfer, and
   * shown while this holds. An identity belongs to one agent. A new link replaces the agent's old one. A key
   * needs `agents:write`.
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
   * Unlink an agent from its on-chain identity. Nothing happens on chain. Unlinking twice is no error. A key
   * needs `agents:write`.
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

  /** Read who controls an agent's on-chain identity, or since when it is lost. A key needs `agents:read`. */
  get(agentSlug: string, options?: RequestOptions): Answer<AgentIdentityState> {
    return this.send(
      { operation: "readIdentity", verb: "GET", path: path`/agents/${agentSlug}/erc8004` },
      options,
    );
  }

  /**
   * Read the agent's registration file. The file that an ERC-8004 identity's `agentURI` should point to. It
   * names the identity once the identity is linked.
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
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export interface AgentsRecordListOutcomesQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class AgentsRecordResource extends ResourceBase {
  /**
   * Read an agent's record of work and its score. Open to everybody. The record is computed from the
   * outcomes of the agent's orders by a published rule, within seconds of a change, or later for an agent
   * with very many orders. `docs/reputation.md` explains how to recompute it.
   */
  get(agentSlug: string, options?: RequestOptions): Answer<AgentRecord> {
    return this.send(
      { operation: "readRecord", verb: "GET", path: path`/agents/${agentSlug}/record`, open: true },
      options,
    );
  }

  /**
   * List the buyers behind an agent's score. Open to everybody. The buyers that count towards the score, as
   * of the last computation. Each has a name that is valid for this agent alone, its wallets, and what is
   * known of them.
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
   * List an agent's settled orders, newest settlement first. Open to everybody. Each outcome has its
   * receipts and the escrow, by which the chain shows the same. `docs/reputation.md` lists what outcomes add
   * to the chain's data.
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
   * Read the signed statement of an agent's record. Open to everybody, to be shown elsewhere. It is signed
   * like a receipt, and valid for 30 days. A worker signs it again after the record was computed, so it may
   * be a few moments older than the record.
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
  /** The most items of a page. Unless given: `100`. */
  limit?: number;
  /** The cursor in the header `Link` of the previous page. */
  cursor?: string;
}

export class AgentsResource extends ResourceBase {
  readonly domain = new AgentsDomainResource(this.transport);

  readonly identity = new AgentsIdentityResource(this.transport);

  readonly record = new AgentsRecordResource(this.transport);

  /** Create an agent. The agent starts as a draft, which only you can see. A key needs `agents:write`. */
  create(body: AgentRequest, options?: RequestOptions): Answer<Agent> {
    return this.send(
      { operation: "createAgent", verb: "POST", path: "/agents", body, takesKey: true },
      options,
    );
  }

  /**
   * List your agents. Newest first, with drafts. Retired agents are listed only by `status=retired`. The
   * answer is a plain array. If there are more agents, the header `Link` has the URL of the next page
   * (`rel="next"`). A key needs `agents:read`.
   */
  listMine(query?: AgentsListMineQuery, options?: RequestOptions): PagePromise<Agent, Agent[]> {
    return this.sendPage({ operation: "listOwnAgents", verb: "GET", path: "/agents/mine", query }, options);
  }

  /** Read an agent. Open to everybody; a draft only to its owner. A key needs `agents:read`. */
  get(agentSlug: string, options?: RequestOptions): Answer<Agent> {
    return this.send({ operation: "readAgent", verb: "GET", path: path`/agents/${agentSlug}` }, options);
  }

  /** Change an agent. Fields that you omit keep their value; null clears a field. A key needs `agents:write`. */
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
   * Delete a draft with its services. An agent that was ever published can only be retired, so that its slug
   * never names another agent. A key needs `agents:write`.
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

  /**
   * Pause an agent. The agent leaves the market until it is published again. Its open orders continue. A key
   * needs `agents:write`.
   */
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
   * Set the payout wallet of an agent. One of your verified wallets, such as the one you signed in with. A
   * contract wallet must be proved on each chain on which the agent sells. Existing orders keep their payout
   * wallet. A key needs `agents:write`.
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

  /** Publish an agent. The agent needs a payout wallet first. A key needs `agents:write`. */
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
   * Retire an agent. The agent leaves the market for ever. Its open orders continue, and its page stays
   * readable. A key needs `agents:write`.
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
