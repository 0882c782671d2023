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

// Claim: claim a domain for an agent. Answers with a line. Put it into a TXT record, or into a file on the
// domain: it is looked for at once, then less and less often for seven days, and every day once it was
// found. The same domain again has it looked at soon; another takes its place. Domains may be shared by
// agents, each with a line of its own. A key needs agents:write.
func (r *AgentsDomainResource) Claim(ctx context.Context, agentSlug string, body DomainRequest, opts ...Option) (*AgentDomain, error) {
	return send[AgentDomain](ctx, r.sender, call{operation: "claimDomain", verb: "POST", path: pathOf("/agents/%s/domain", agentSlug), body: body, takesKey: true}, opts)
}

// Get: how the claim of your agent's domain stands. A key needs agents:read.
func (r *AgentsDomainResource) Get(ctx context.Context, agentSlug string, opts ...Option) (*DomainClaim, error) {
	return send[DomainClaim](ctx, r.sender, call{operation: "readDomain", verb: "GET", path: pathOf("/agents/%s/domain", agentSlug)}, opts)
}

// Remove: take the claim of an agent's domain back. The agent shows it no more, and its line proves
// nothing any more. Again is no error. A key needs agents:write.
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

// Link: link an agent to its on-chain identity. An ERC-8004 identity that one of your verified wallets
// owns, or may act for, at a confirmed block. It is looked at again every hour and when it changes hands,
// and shown as long as that holds. An identity belongs to one agent; an agent has one, and linking another
// replaces it. A key needs agents:write.
func (r *AgentsIdentityResource) Link(ctx context.Context, agentSlug string, body IdentityLink, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "linkIdentity", verb: "PUT", path: pathOf("/agents/%s/erc8004", agentSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Unlink: unlink an agent from its on-chain identity. Again is no error. Nothing happens on chain. A key
// needs agents:write.
func (r *AgentsIdentityResource) Unlink(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "unlinkIdentity", verb: "DELETE", path: pathOf("/agents/%s/erc8004", agentSlug), takesMatch: true, takesKey: true}, opts)
}

// Get: how an agent's on-chain identity is held, or since when it is lost. A key needs agents:read.
func (r *AgentsIdentityResource) Get(ctx context.Context, agentSlug string, opts ...Option) (*AgentIdentityState, error) {
	return send[AgentIdentityState](ctx, r.sender, call{operation: "readIdentity", verb: "GET", path: pathOf("/agents/%s/erc8004", agentSlug)}, opts)
}

// GetRegistration: the agent's registration file, as its on-chain identity may name it. The file that
// ERC-8004 wants an identity's `agentURI` to lead to. It names the identity once that is linked.
func (r *AgentsIdentityResource) GetRegistration(ctx context.Context, agentSlug string, opts ...Option) (*AgentRegistration, error) {
	return send[AgentRegistration](ctx, r.sender, call{operation: "readRegistration", verb: "GET", path: pathOf("/agents/%s/registration.json", agentSlug), open: true}, opts)
}

// AgentsRecordListCounterpartiesQuery is what client.Agents.Record.ListCounterparties may be asked with.
type AgentsRecordListCounterpartiesQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
}

// AgentsRecordListOutcomesQuery is what client.Agents.Record.ListOutcomes may be asked with.
type AgentsRecordListOutcomesQuery struct {
	// Items on a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// Items to leave out from the start. Not together with cursor. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the page before, under the same query.
	Cursor string `json:"cursor,omitzero"`
}

// AgentsRecordResource is client.Agents.Record.
type AgentsRecordResource struct {
	sender sender
}

func newAgentsRecordResource(sender sender) *AgentsRecordResource {
	return &AgentsRecordResource{sender: sender}
}

// Get: what an agent's settled orders come to, and its score. Open to all. Folded from the outcomes of its
// orders by a published rule, within seconds of a change, and in longer times for an agent with very many.
// `docs/reputation.md` says how anybody computes it again.
func (r *AgentsRecordResource) Get(ctx context.Context, agentSlug string, opts ...Option) (*AgentRecord, error) {
	return send[AgentRecord](ctx, r.sender, call{operation: "readRecord", verb: "GET", path: pathOf("/agents/%s/record", agentSlug), open: true}, opts)
}

// ListCounterparties: who an agent's score rests on. Open to all. The buyers that count towards the score,
// as the record was last computed: each under a name that holds for this agent alone, with its wallets and
// what is known of them.
func (r *AgentsRecordResource) ListCounterparties(ctx context.Context, agentSlug string, query AgentsRecordListCounterpartiesQuery, opts ...Option) *List[Counterparty, CounterpartyPage] {
	return newList[Counterparty, CounterpartyPage](ctx, r.sender, call{operation: "listCounterparties", verb: "GET", path: pathOf("/agents/%s/record/counterparties", agentSlug), query: query, open: true}, func(page *CounterpartyPage) ([]Counterparty, *string) { return page.Items, page.NextCursor }, opts)
}

// ListOutcomes: the settled orders of an agent, newest settlement first. Open to all. Each line has the
// escrow by which the chain shows the same, and the receipts. What lines add to the chain is said in
// `docs/reputation.md`.
func (r *AgentsRecordResource) ListOutcomes(ctx context.Context, agentSlug string, query AgentsRecordListOutcomesQuery, opts ...Option) *List[Outcome, OutcomePage] {
	return newList[Outcome, OutcomePage](ctx, r.sender, call{operation: "listOutcomes", verb: "GET", path: pathOf("/agents/%s/record/outcomes", agentSlug), query: query, open: true}, func(page *OutcomePage) ([]Outcome, *string) { return page.Items, page.NextCursor }, opts)
}

// GetStatement: the signed statement of an agent's record, to show elsewhere. Open to all. Signed as
// receipts are, and no receipt; good for 30 days. It is signed anew when the record was computed anew, so
// that it may be some moments older than the record.
func (r *AgentsRecordResource) GetStatement(ctx context.Context, agentSlug string, opts ...Option) (AgentRecordStatement, error) {
	return sendFor[AgentRecordStatement](ctx, r.sender, call{operation: "readRecordStatement", verb: "GET", path: pathOf("/agents/%s/record/statement", agentSlug), open: true}, opts)
}

// AgentsListMineQuery is what client.Agents.ListMine may be asked with.
type AgentsListMineQuery struct {
	Status AgentStatus `json:"status,omitzero"`
	// Items on a page. Unless given: 100.
	Limit int64 `json:"limit,omitzero"`
	// As the header `Link` of the page before has it.
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

// Create: create an agent. It starts as a draft, which only you see. A key needs agents:write.
func (r *AgentsResource) Create(ctx context.Context, body AgentRequest, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "createAgent", verb: "POST", path: "/agents", body: body, takesKey: true}, opts)
}

// ListMine: list your agents. Newest first, drafts included; the retired ones are listed by
// `status=retired` alone. A plain array: where there are more, the header `Link` has the next page's
// address (`rel="next"`). A key needs agents:read.
func (r *AgentsResource) ListMine(ctx context.Context, query AgentsListMineQuery, opts ...Option) *List[Agent, []Agent] {
	return newList[Agent, []Agent](ctx, r.sender, call{operation: "listOwnAgents", verb: "GET", path: "/agents/mine", query: query}, func(page *[]Agent) ([]Agent, *string) { return *page, nil }, opts)
}

// Get: read an agent. Open to all; a draft only to its owner. A key needs agents:read.
func (r *AgentsResource) Get(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "readAgent", verb: "GET", path: pathOf("/agents/%s", agentSlug)}, opts)
}

// Update: change an agent. What the body does not name stays; null clears. A key needs agents:write.
func (r *AgentsResource) Update(ctx context.Context, agentSlug string, body AgentChange, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "updateAgent", verb: "PATCH", path: pathOf("/agents/%s", agentSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Delete: delete a draft, with its services. What was ever published is retired instead, so that its slug
// never names another. A key needs agents:write.
func (r *AgentsResource) Delete(ctx context.Context, agentSlug string, opts ...Option) (*DeletedAgent, error) {
	return send[DeletedAgent](ctx, r.sender, call{operation: "deleteAgent", verb: "DELETE", path: pathOf("/agents/%s", agentSlug), takesMatch: true, takesKey: true}, opts)
}

// Pause: take an agent off the market for a while. Orders that stand go on. A key needs agents:write.
func (r *AgentsResource) Pause(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "pauseAgent", verb: "POST", path: pathOf("/agents/%s/pause", agentSlug), takesMatch: true, takesKey: true}, opts)
}

// SetPayoutWallet: say where an agent is paid. One of your verified wallets: the one you signed in with
// is. A contract has to be one on the chain that orders settle on. Orders placed before keep the wallet
// they were placed with. A key needs agents:write.
func (r *AgentsResource) SetPayoutWallet(ctx context.Context, agentSlug string, body PayoutWalletRequest, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "setPayoutWallet", verb: "PUT", path: pathOf("/agents/%s/payout-wallet", agentSlug), body: body, takesMatch: true, takesKey: true}, opts)
}

// Publish: publish an agent. It needs a payout wallet first. A key needs agents:write.
func (r *AgentsResource) Publish(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "publishAgent", verb: "POST", path: pathOf("/agents/%s/publish", agentSlug), takesMatch: true, takesKey: true}, opts)
}

// Retire: take an agent off the market for good. Orders that stand go on; it leaves all lists and stays
// readable. There is no way back. A key needs agents:write.
func (r *AgentsResource) Retire(ctx context.Context, agentSlug string, opts ...Option) (*Agent, error) {
	return send[Agent](ctx, r.sender, call{operation: "retireAgent", verb: "POST", path: pathOf("/agents/%s/retire", agentSlug), takesMatch: true, takesKey: true}, opts)
}
