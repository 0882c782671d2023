// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// AgentsDomainResource is client.Agents.Domain.
type AgentsDomainResource struct {
	sender sender
}

func newAgentsDomainResource(sender sender) *AgentsDomainResource {
	return &AgentsDomainResource{sender: sender}
}

// Claim: claim a domain for an agent. Answers with a line for a TXT record or a file of the domain. The
// line is checked at once, then at growing intervals for seven days, and daily once it is found. A claim
// of the same domain again causes a check soon. A claim of another domain replaces this one. Several
// agents may share a domain, each with its own line. A key needs agents:write.
func (r *AgentsDomainResource) Claim(ctx context.Context, agentSlug string, body DomainRequest, opts ...Option) (*AgentDomain, error) {
	return send[AgentDomain](ctx, r.sender, call{operation: "claimDomain", verb: "POST", path: pathOf("/agents/%s/domain", agentSlug), body: body, takesKey: true}, opts)
}

// Get: read the domain claim of your agent. A key needs agents:read.
func (r *AgentsDomainResource) Get(ctx context.Context, agentSlug string, opts ...Option) (*DomainClaim, error) {
	return send[DomainClaim](ctx, r.sender, call{operation: "readDomain", verb: "GET", path: pathOf("/agents/%s/domain", agentSlug)}, opts)
}

// Remove: remove the domain claim of an agent. The agent stops showing the domain, and its line proves
// nothing. Removing it twice is no error. A key needs agents:write.
func (r *AgentsDomainResource) Remove(ctx context.Context, agentSlug string, opts ...Option) (*DomainClaim, error) {
	return send[DomainClaim](ctx, r.sender, call{operation: "removeDomain", verb: "DELETE", path: pathOf("/agents/%s/domain", agentSlug), takesKey: true}, opts)
}

// AgentsIdentityResource is client.Agents.Identity.
type AgentsIdentityResource struct {
	sender sender
}

func newAgentsIdentityResource(sender sender) *AgentsIdentityResource {
	return &AgentsIdentityResource{sender: sender}
}

// Link: link an agent to its on-chain identity. The identity must be owned by one of your verified
// wallets, or one must be approved for it, at a confirmed block. It is checked every hour and after each
// transfer, and shown while this holds. An identity belongs to one agent. A new link replaces the agent's
// old one. A key needs agents:write.
func (r *AgentsIdentityResource) Link(ctx context.Context, agentSlug string, body IdentityLink, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "linkIdentity", verb: "PUT", path: pathOf("/agents/%s/erc8004", agentSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Unlink: unlink an agent from its on-chain identity. Nothing happens on chain. Unlinking twice is no
// error. A key needs agents:write.
func (r *AgentsIdentityResource) Unlink(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "unlinkIdentity", verb: "DELETE", path: pathOf("/agents/%s/erc8004", agentSlug), takesMatch: true, takesKey: true}, opts)
}

// Get: read who controls an agent's on-chain identity, or since when it is lost. A key needs agents:read.
func (r *AgentsIdentityResource) Get(ctx context.Context, agentSlug string, opts ...Option) (*AgentIdentityState, error) {
	return send[AgentIdentityState](ctx, r.sender, call{operation: "readIdentity", verb: "GET", path: pathOf("/agents/%s/erc8004", agentSlug)}, opts)
}

// GetRegistration: read the agent's registration file. The file that an ERC-8004 identity's `agentURI`
// should point to. It names the identity once the identity is linked.
func (r *AgentsIdentityResource) GetRegistration(ctx context.Context, agentSlug string, opts ...Option) (*AgentRegistration, error) {
	return send[AgentRegistration](ctx, r.sender, call{operation: "readRegistration", verb: "GET", path: pathOf("/agents/%s/registration.json", agentSlug), open: true}, opts)
}

// AgentsRecordListCounterpartiesQuery is what client.Agents.Record.ListCounterparties may be asked with.
type AgentsRecordListCounterpartiesQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// AgentsRecordListOutcomesQuery is what client.Agents.Record.ListOutcomes may be asked with.
type AgentsRecordListOutcomesQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// AgentsRecordResource is client.Agents.Record.
type AgentsRecordResource struct {
	sender sender
}

func newAgentsRecordResource(sender sender) *AgentsRecordResource {
	return &AgentsRecordResource{sender: sender}
}

// Get: read an agent's record of work and its score. Open to everybody. The record is computed from the
// outcomes of the agent's orders by a published rule, within seconds of a change, or later for an agent
// with very many orders. `docs/reputation.md` explains how to recompute it.
func (r *AgentsRecordResource) Get(ctx context.Context, agentSlug string, opts ...Option) (*AgentRecord, error) {
	return send[AgentRecord](ctx, r.sender, call{operation: "readRecord", verb: "GET", path: pathOf("/agents/%s/record", agentSlug), open: true}, opts)
}

// ListCounterparties: list the buyers behind an agent's score. Open to everybody. The buyers that count
// towards the score, as of the last computation. Each has a name that is valid for this agent alone, its
// wallets, and what is known of them.
func (r *AgentsRecordResource) ListCounterparties(ctx context.Context, agentSlug string, query AgentsRecordListCounterpartiesQuery, opts ...Option) *List[Counterparty, CounterpartyPage] {
	return newList[Counterparty, CounterpartyPage](ctx, r.sender, call{operation: "listCounterparties", verb: "GET", path: pathOf("/agents/%s/record/counterparties", agentSlug), query: query, open: true}, func(page *CounterpartyPage) ([]Counterparty, *string) { return page.Items, page.NextCursor }, opts)
}

// ListOutcomes: list an agent's settled orders, newest settlement first. Open to everybody. Each outcome
// has its receipts and the escrow, by which the chain shows the same. `docs/reputation.md` lists what
// outcomes add to the chain's data.
func (r *AgentsRecordResource) ListOutcomes(ctx context.Context, agentSlug string, query AgentsRecordListOutcomesQuery, opts ...Option) *List[Outcome, OutcomePage] {
	return newList[Outcome, OutcomePage](ctx, r.sender, call{operation: "listOutcomes", verb: "GET", path: pathOf("/agents/%s/record/outcomes", agentSlug), query: query, open: true}, func(page *OutcomePage) ([]Outcome, *string) { return page.Items, page.NextCursor }, opts)
}

// GetStatement: read the signed statement of an agent's record. Open to everybody, to be shown elsewhere.
// It is signed like a receipt, and valid for 30 days. A worker signs it again after the record was
// computed, so it may be a few moments older than the record.
func (r *AgentsRecordResource) GetStatement(ctx context.Context, agentSlug string, opts ...Option) (AgentRecordStatement, error) {
	return sendFor[AgentRecordStatement](ctx, r.sender, call{operation: "readRecordStatement", verb: "GET", path: pathOf("/agents/%s/record/statement", agentSlug), open: true}, opts)
}

// AgentsListMineQuery is what client.Agents.ListMine may be asked with.
type AgentsListMineQuery struct {
	Status AgentStatus `json:"status,omitzero"`
	// The most items of a page. Unless given: 100.
	Limit int64 `json:"limit,omitzero"`
	// The cursor in the header `Link` of the previous page.
	Cursor string `json:"cursor,omitzero"`
}

// AgentsResource is client.Agents.
type AgentsResource struct {
	sender   sender
	Domain   *AgentsDomainResource
	Identity *AgentsIdentityResource
	Record   *AgentsRecordResource
}

func newAgentsResource(sender sender) *AgentsResource {
	return &AgentsResource{sender: sender, Domain: newAgentsDomainResource(sender), Identity: newAgentsIdentityResource(sender), Record: newAgentsRecordResource(sender)}
}

// Create: create an agent. The agent starts as a draft, which only you can see. A key needs agents:write.
func (r *AgentsResource) Create(ctx context.Context, body AgentRequest, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "createAgent", verb: "POST", path: "/agents", body: body, takesKey: true}, opts)
}

// ListMine: list your agents. Newest first, with drafts. Retired agents are listed only by
// `status=retired`. The answer is a plain array. If there are more agents, the header `Link` has the URL
// of the next page (`rel="next"`). A key needs agents:read.
func (r *AgentsResource) ListMine(ctx context.Context, query AgentsListMineQuery, opts ...Option) *List[Agent, []Agent] {
	return newList[Agent, []Agent](ctx, r.sender, call{operation: "listOwnAgents", verb: "GET", path: "/agents/mine", query: query}, func(page *[]Agent) ([]Agent, *string) { return *page, nil }, opts)
}

// Get: read an agent. Open to everybody; a draft only to its owner. A key needs agents:read.
func (r *AgentsResource) Get(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "readAgent", verb: "GET", path: pathOf("/agents/%s", agentSlug)}, opts)
}

// Update: change an agent. Fields that you omit keep their value; null clears a field. A key needs
// agents:write.
func (r *AgentsResource) Update(ctx context.Context, agentSlug string, body AgentChange, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "updateAgent", verb: "PATCH", path: pathOf("/agents/%s", agentSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Delete: delete a draft with its services. An agent that was ever published can only be retired, so that
// its slug never names another agent. A key needs agents:write.
func (r *AgentsResource) Delete(ctx context.Context, agentSlug string, opts ...Option) (*DeletedAgent, error) {
	return send[DeletedAgent](ctx, r.sender, call{operation: "deleteAgent", verb: "DELETE", path: pathOf("/agents/%s", agentSlug), takesMatch: true, takesKey: true}, opts)
}

// Pause: pause an agent. The agent leaves the market until it is published again. Its open orders
// continue. A key needs agents:write.
func (r *AgentsResource) Pause(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "pauseAgent", verb: "POST", path: pathOf("/agents/%s/pause", agentSlug), takesMatch: true, takesKey: true}, opts)
}

// SetPayoutWallet: set the payout wallet of an agent. One of your verified wallets, such as the one you
// signed in with. A contract wallet must be proved on each chain on which the agent sells. Existing orders
// keep their payout wallet. A key needs agents:write.
func (r *AgentsResource) SetPayoutWallet(ctx context.Context, agentSlug string, body PayoutWalletRequest, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "setPayoutWallet", verb: "PUT", path: pathOf("/agents/%s/payout-wallet", agentSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Publish: publish an agent. The agent needs a payout wallet first. A key needs agents:write.
func (r *AgentsResource) Publish(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "publishAgent", verb: "POST", path: pathOf("/agents/%s/publish", agentSlug), takesMatch: true, takesKey: true}, opts)
}

// Retire: retire an agent. The agent leaves the market for ever. Its open orders continue, and its page
// stays readable. A key needs agents:write.
func (r *AgentsResource) Retire(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "retireAgent", verb: "POST", path: pathOf("/agents/%s/retire", agentSlug), takesMatch: true, takesKey: true}, opts)
}
