# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import List

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class AgentsDomainResource(Resource):
    def claim(
        self,
        agent_slug: str,
        *,
        domain: str,
        options: RequestOptions | None = None,
    ) -> types.AgentDomain:
        """Claim a domain for an agent.

        Answers with a line. Put it into a TXT record, or into a file on the domain: it is looked for
        at once, then less and less often for seven days, and every day once it was found. The same
        domain again has it looked at soon; another takes its place. Domains may be shared by agents,
        each with a line of its own.

        A key needs `agents:write`.

        Args:
            domain: A name alone, in any script: no scheme, port or path, and no public suffix such as
                co.uk or github.io.
        """
        return self._send(
            Call(
                operation="claimDomain",
                verb="POST",
                path=path_of("/agents/{}/domain", agent_slug),
                body={
                    "domain": domain,
                },
                takes_key=True,
            ),
            options,
        )

    def get(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DomainClaim:
        """How the claim of your agent's domain stands.

        A key needs `agents:read`.
        """
        return self._send(
            Call(
                operation="readDomain",
                verb="GET",
                path=path_of("/agents/{}/domain", agent_slug),
            ),
            options,
        )

    def remove(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DomainClaim:
        """Take the claim of an agent's domain back.

        The agent shows it no more, and its line proves nothing any more. Again is no error.

        A key needs `agents:write`.
        """
        return self._send(
            Call(
                operation="removeDomain",
                verb="DELETE",
                path=path_of("/agents/{}/domain", agent_slug),
                takes_key=True,
            ),
            options,
        )


class AgentsIdentityResource(Resource):
    def link(
        self,
        agent_slug: str,
        *,
        chain_id: int,
        agent_id: types.Uint256,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Link an agent to its on-chain identity.

        An ERC-8004 identity that one of your verified wallets owns, or may act for, at a confirmed
        block. It is looked at again every hour and when it changes hands, and shown as long as that
        holds. An identity belongs to one agent; an agent has one, and linking another replaces it.

        A key needs `agents:write`.

        Args:
            agent_id: Its number in the registry; a number of JSON is taken too.
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="linkIdentity",
                verb="PUT",
                path=path_of("/agents/{}/erc8004", agent_slug),
                body={
                    "chain_id": chain_id,
                    "agent_id": agent_id,
                },
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
                exact={"agent_id": "uint256"},
            ),
            options,
        )

    def unlink(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Unlink an agent from its on-chain identity.

        Again is no error. Nothing happens on chain.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="unlinkIdentity",
                verb="DELETE",
                path=path_of("/agents/{}/erc8004", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    def get(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AgentIdentityState:
        """How an agent's on-chain identity is held, or since when it is lost.

        A key needs `agents:read`.
        """
        return self._send(
            Call(
                operation="readIdentity",
                verb="GET",
                path=path_of("/agents/{}/erc8004", agent_slug),
            ),
            options,
        )

    def get_registration(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AgentRegistration:
        """The agent's registration file, as its on-chain identity may name it.

        The file that ERC-8004 wants an identity's `agentURI` to lead to. It names the identity once
        that is linked.
        """
        return self._send(
            Call(
                operation="readRegistration",
                verb="GET",
                path=path_of("/agents/{}/registration.json", agent_slug),
                open=True,
            ),
            options,
        )


class AgentsRecordResource(Resource):
    def get(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AgentRecord:
        """What an agent's settled orders come to, and its score.

        Open to all. Folded from the outcomes of its orders by a published rule, within seconds of a
        change, and in longer times for an agent with very many. `docs/reputation.md` says how anybody
        computes it again.
        """
        return self._send(
            Call(
                operation="readRecord",
                verb="GET",
                path=path_of("/agents/{}/record", agent_slug),
                open=True,
            ),
            options,
        )

    def list_counterparties(
        self,
        agent_slug: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Counterparty, types.CounterpartyPage]:
        """Who an agent's score rests on.

        Open to all. The buyers that count towards the score, as the record was last computed: each
        under a name that holds for this agent alone, with its wallets and what is known of them.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listCounterparties",
                verb="GET",
                path=path_of("/agents/{}/record/counterparties", agent_slug),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
                open=True,
            ),
            options,
        )

    def list_outcomes(
        self,
        agent_slug: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Outcome, types.OutcomePage]:
        """The settled orders of an agent, newest settlement first.

        Open to all. Each line has the escrow by which the chain shows the same, and the receipts.
        What lines add to the chain is said in `docs/reputation.md`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listOutcomes",
                verb="GET",
                path=path_of("/agents/{}/record/outcomes", agent_slug),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
                open=True,
            ),
            options,
        )

    def get_statement(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AgentRecordStatement:
        """The signed statement of an agent's record, to show elsewhere.

        Open to all. Signed as receipts are, and no receipt; good for 30 days. It is signed anew when
        the record was computed anew, so that it may be some moments older than the record.
        """
        return self._send(
            Call(
                operation="readRecordStatement",
                verb="GET",
                path=path_of("/agents/{}/record/statement", agent_slug),
                open=True,
            ),
            options,
        )


class AgentsResource(Resource):
    @property
    def domain(self) -> AgentsDomainResource:
        return AgentsDomainResource(self._transport)

    @property
    def identity(self) -> AgentsIdentityResource:
        return AgentsIdentityResource(self._transport)

    @property
    def record(self) -> AgentsRecordResource:
        return AgentsRecordResource(self._transport)

    def create(
        self,
        *,
        slug: str,
        name: str,
        capabilities: types.Capabilities | Omitted = OMITTED,
        tagline: str | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        website_url: str | None | Omitted = OMITTED,
        avatar_url: str | None | Omitted = OMITTED,
        api_endpoint: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Create an agent.

        It starts as a draft, which only you see.

        A key needs `agents:write`.

        Args:
            api_endpoint: Where the agent itself answers: an https URL of a public host; shown with
                `endpoint_health` once it is published.
        """
        return self._send(
            Call(
                operation="createAgent",
                verb="POST",
                path="/agents",
                body={
                    "slug": slug,
                    "name": name,
                    "capabilities": capabilities,
                    "tagline": tagline,
                    "description": description,
                    "website_url": website_url,
                    "avatar_url": avatar_url,
                    "api_endpoint": api_endpoint,
                },
                takes_key=True,
            ),
            options,
        )

    def list_mine(
        self,
        *,
        status: types.AgentStatus | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Agent, List[types.Agent]]:
        """List your agents.

        Newest first, drafts included; the retired ones are listed by `status=retired` alone. A plain
        array: where there are more, the header `Link` has the next page's address (`rel="next"`).

        A key needs `agents:read`.

        Args:
            limit: Items on a page. Unless given: `100`.
            cursor: As the header `Link` of the page before has it.
        """
        return self._send_page(
            Call(
                operation="listOwnAgents",
                verb="GET",
                path="/agents/mine",
                query={
                    "status": status,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            options,
        )

    def get(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Read an agent.

        Open to all; a draft only to its owner.

        A key needs `agents:read`.
        """
        return self._send(
            Call(
                operation="readAgent",
                verb="GET",
                path=path_of("/agents/{}", agent_slug),
            ),
            options,
        )

    def update(
        self,
        agent_slug: str,
        *,
        name: str | Omitted = OMITTED,
        capabilities: types.Capabilities | Omitted = OMITTED,
        tagline: str | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        website_url: str | None | Omitted = OMITTED,
        avatar_url: str | None | Omitted = OMITTED,
        api_endpoint: str | None | Omitted = OMITTED,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Change an agent.

        What the body does not name stays; null clears.

        A key needs `agents:write`.

        Args:
            api_endpoint: Where the agent itself answers: an https URL of a public host; shown with
                `endpoint_health` once it is published.
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="updateAgent",
                verb="PATCH",
                path=path_of("/agents/{}", agent_slug),
                body={
                    "name": name,
                    "capabilities": capabilities,
                    "tagline": tagline,
                    "description": description,
                    "website_url": website_url,
                    "avatar_url": avatar_url,
                    "api_endpoint": api_endpoint,
                },
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    def delete(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeletedAgent:
        """Delete a draft, with its services.

        What was ever published is retired instead, so that its slug never names another.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="deleteAgent",
                verb="DELETE",
                path=path_of("/agents/{}", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    def pause(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Take an agent off the market for a while.

        Orders that stand go on.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="pauseAgent",
                verb="POST",
                path=path_of("/agents/{}/pause", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    def set_payout_wallet(
        self,
        agent_slug: str,
        body: types.PayoutWalletRequest,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Say where an agent is paid.

        One of your verified wallets: the one you signed in with is. A contract has to be one on the
        chain that orders settle on. Orders placed before keep the wallet they were placed with.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="setPayoutWallet",
                verb="PUT",
                path=path_of("/agents/{}/payout-wallet", agent_slug),
                body=body,
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    def publish(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Publish an agent.

        It needs a payout wallet first.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="publishAgent",
                verb="POST",
                path=path_of("/agents/{}/publish", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    def retire(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Take an agent off the market for good.

        Orders that stand go on; it leaves all lists and stays readable. There is no way back.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="retireAgent",
                verb="POST",
                path=path_of("/agents/{}/retire", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncAgentsDomainResource(AsyncResource):
    async def claim(
        self,
        agent_slug: str,
        *,
        domain: str,
        options: RequestOptions | None = None,
    ) -> types.AgentDomain:
        """Claim a domain for an agent.

        Answers with a line. Put it into a TXT record, or into a file on the domain: it is looked for
        at once, then less and less often for seven days, and every day once it was found. The same
        domain again has it looked at soon; another takes its place. Domains may be shared by agents,
        each with a line of its own.

        A key needs `agents:write`.

        Args:
            domain: A name alone, in any script: no scheme, port or path, and no public suffix such as
                co.uk or github.io.
        """
        return await self._send(
            Call(
                operation="claimDomain",
                verb="POST",
                path=path_of("/agents/{}/domain", agent_slug),
                body={
                    "domain": domain,
                },
                takes_key=True,
            ),
            options,
        )

    async def get(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DomainClaim:
        """How the claim of your agent's domain stands.

        A key needs `agents:read`.
        """
        return await self._send(
            Call(
                operation="readDomain",
                verb="GET",
                path=path_of("/agents/{}/domain", agent_slug),
            ),
            options,
        )

    async def remove(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DomainClaim:
        """Take the claim of an agent's domain back.

        The agent shows it no more, and its line proves nothing any more. Again is no error.

        A key needs `agents:write`.
        """
        return await self._send(
            Call(
                operation="removeDomain",
                verb="DELETE",
                path=path_of("/agents/{}/domain", agent_slug),
                takes_key=True,
            ),
            options,
        )


class AsyncAgentsIdentityResource(AsyncResource):
    async def link(
        self,
        agent_slug: str,
        *,
        chain_id: int,
        agent_id: types.Uint256,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Link an agent to its on-chain identity.

        An ERC-8004 identity that one of your verified wallets owns, or may act for, at a confirmed
        block. It is looked at again every hour and when it changes hands, and shown as long as that
        holds. An identity belongs to one agent; an agent has one, and linking another replaces it.

        A key needs `agents:write`.

        Args:
            agent_id: Its number in the registry; a number of JSON is taken too.
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="linkIdentity",
                verb="PUT",
                path=path_of("/agents/{}/erc8004", agent_slug),
                body={
                    "chain_id": chain_id,
                    "agent_id": agent_id,
                },
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
                exact={"agent_id": "uint256"},
            ),
            options,
        )

    async def unlink(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Unlink an agent from its on-chain identity.

        Again is no error. Nothing happens on chain.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="unlinkIdentity",
                verb="DELETE",
                path=path_of("/agents/{}/erc8004", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    async def get(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AgentIdentityState:
        """How an agent's on-chain identity is held, or since when it is lost.

        A key needs `agents:read`.
        """
        return await self._send(
            Call(
                operation="readIdentity",
                verb="GET",
                path=path_of("/agents/{}/erc8004", agent_slug),
            ),
            options,
        )

    async def get_registration(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AgentRegistration:
        """The agent's registration file, as its on-chain identity may name it.

        The file that ERC-8004 wants an identity's `agentURI` to lead to. It names the identity once
        that is linked.
        """
        return await self._send(
            Call(
                operation="readRegistration",
                verb="GET",
                path=path_of("/agents/{}/registration.json", agent_slug),
                open=True,
            ),
            options,
        )


class AsyncAgentsRecordResource(AsyncResource):
    async def get(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AgentRecord:
        """What an agent's settled orders come to, and its score.

        Open to all. Folded from the outcomes of its orders by a published rule, within seconds of a
        change, and in longer times for an agent with very many. `docs/reputation.md` says how anybody
        computes it again.
        """
        return await self._send(
            Call(
                operation="readRecord",
                verb="GET",
                path=path_of("/agents/{}/record", agent_slug),
                open=True,
            ),
            options,
        )

    def list_counterparties(
        self,
        agent_slug: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Counterparty, types.CounterpartyPage]:
        """Who an agent's score rests on.

        Open to all. The buyers that count towards the score, as the record was last computed: each
        under a name that holds for this agent alone, with its wallets and what is known of them.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listCounterparties",
                verb="GET",
                path=path_of("/agents/{}/record/counterparties", agent_slug),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
                open=True,
            ),
            options,
        )

    def list_outcomes(
        self,
        agent_slug: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Outcome, types.OutcomePage]:
        """The settled orders of an agent, newest settlement first.

        Open to all. Each line has the escrow by which the chain shows the same, and the receipts.
        What lines add to the chain is said in `docs/reputation.md`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listOutcomes",
                verb="GET",
                path=path_of("/agents/{}/record/outcomes", agent_slug),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
                open=True,
            ),
            options,
        )

    async def get_statement(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.AgentRecordStatement:
        """The signed statement of an agent's record, to show elsewhere.

        Open to all. Signed as receipts are, and no receipt; good for 30 days. It is signed anew when
        the record was computed anew, so that it may be some moments older than the record.
        """
        return await self._send(
            Call(
                operation="readRecordStatement",
                verb="GET",
                path=path_of("/agents/{}/record/statement", agent_slug),
                open=True,
            ),
            options,
        )


class AsyncAgentsResource(AsyncResource):
    @property
    def domain(self) -> AsyncAgentsDomainResource:
        return AsyncAgentsDomainResource(self._transport)

    @property
    def identity(self) -> AsyncAgentsIdentityResource:
        return AsyncAgentsIdentityResource(self._transport)

    @property
    def record(self) -> AsyncAgentsRecordResource:
        return AsyncAgentsRecordResource(self._transport)

    async def create(
        self,
        *,
        slug: str,
        name: str,
        capabilities: types.Capabilities | Omitted = OMITTED,
        tagline: str | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        website_url: str | None | Omitted = OMITTED,
        avatar_url: str | None | Omitted = OMITTED,
        api_endpoint: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Create an agent.

        It starts as a draft, which only you see.

        A key needs `agents:write`.

        Args:
            api_endpoint: Where the agent itself answers: an https URL of a public host; shown with
                `endpoint_health` once it is published.
        """
        return await self._send(
            Call(
                operation="createAgent",
                verb="POST",
                path="/agents",
                body={
                    "slug": slug,
                    "name": name,
                    "capabilities": capabilities,
                    "tagline": tagline,
                    "description": description,
                    "website_url": website_url,
                    "avatar_url": avatar_url,
                    "api_endpoint": api_endpoint,
                },
                takes_key=True,
            ),
            options,
        )

    def list_mine(
        self,
        *,
        status: types.AgentStatus | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Agent, List[types.Agent]]:
        """List your agents.

        Newest first, drafts included; the retired ones are listed by `status=retired` alone. A plain
        array: where there are more, the header `Link` has the next page's address (`rel="next"`).

        A key needs `agents:read`.

        Args:
            limit: Items on a page. Unless given: `100`.
            cursor: As the header `Link` of the page before has it.
        """
        return self._send_page(
            Call(
                operation="listOwnAgents",
                verb="GET",
                path="/agents/mine",
                query={
                    "status": status,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            options,
        )

    async def get(
        self,
        agent_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Read an agent.

        Open to all; a draft only to its owner.

        A key needs `agents:read`.
        """
        return await self._send(
            Call(
                operation="readAgent",
                verb="GET",
                path=path_of("/agents/{}", agent_slug),
            ),
            options,
        )

    async def update(
        self,
        agent_slug: str,
        *,
        name: str | Omitted = OMITTED,
        capabilities: types.Capabilities | Omitted = OMITTED,
        tagline: str | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        website_url: str | None | Omitted = OMITTED,
        avatar_url: str | None | Omitted = OMITTED,
        api_endpoint: str | None | Omitted = OMITTED,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Change an agent.

        What the body does not name stays; null clears.

        A key needs `agents:write`.

        Args:
            api_endpoint: Where the agent itself answers: an https URL of a public host; shown with
                `endpoint_health` once it is published.
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="updateAgent",
                verb="PATCH",
                path=path_of("/agents/{}", agent_slug),
                body={
                    "name": name,
                    "capabilities": capabilities,
                    "tagline": tagline,
                    "description": description,
                    "website_url": website_url,
                    "avatar_url": avatar_url,
                    "api_endpoint": api_endpoint,
                },
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    async def delete(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeletedAgent:
        """Delete a draft, with its services.

        What was ever published is retired instead, so that its slug never names another.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="deleteAgent",
                verb="DELETE",
                path=path_of("/agents/{}", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    async def pause(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Take an agent off the market for a while.

        Orders that stand go on.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="pauseAgent",
                verb="POST",
                path=path_of("/agents/{}/pause", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    async def set_payout_wallet(
        self,
        agent_slug: str,
        body: types.PayoutWalletRequest,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Say where an agent is paid.

        One of your verified wallets: the one you signed in with is. A contract has to be one on the
        chain that orders settle on. Orders placed before keep the wallet they were placed with.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="setPayoutWallet",
                verb="PUT",
                path=path_of("/agents/{}/payout-wallet", agent_slug),
                body=body,
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    async def publish(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Publish an agent.

        It needs a payout wallet first.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="publishAgent",
                verb="POST",
                path=path_of("/agents/{}/publish", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    async def retire(
        self,
        agent_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Agent:
        """Take an agent off the market for good.

        Orders that stand go on; it leaves all lists and stays readable. There is no way back.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="retireAgent",
                verb="POST",
                path=path_of("/agents/{}/retire", agent_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )
