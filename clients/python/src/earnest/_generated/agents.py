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

        Answers with a line for a TXT record or a file of the domain. The line is checked at once,
        then at growing intervals for seven days, and daily once it is found. A claim of the same
        domain again causes a check soon. A claim of another domain replaces this one. Several agents
        may share a domain, each with its own line.

        A key needs `agents:write`.

        Args:
            domain: A domain name in any script, without scheme, port or path; not a public suffix
                such as co.uk or github.io.
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
        """Read the domain claim of your agent.

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
        """Remove the domain claim of an agent.

        The agent stops showing the domain, and its line proves nothing. Removing it twice is no
        error.

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

        The identity must be owned by one of your verified wallets, or one must be approved for it, at
        a confirmed block. It is checked every hour and after each transfer, and shown while this
        holds. An identity belongs to one agent. A new link replaces the agent's old one.

        A key needs `agents:write`.

        Args:
            agent_id: The number in the registry; a JSON number is accepted too.
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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

        Nothing happens on chain. Unlinking twice is no error.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Read who controls an agent's on-chain identity, or since when it is lost.

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
        """Read the agent's registration file.

        The file that an ERC-8004 identity's `agentURI` should point to. It names the identity once
        the identity is linked.
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
        """Read an agent's record of work and its score.

        Open to everybody. The record is computed from the outcomes of the agent's orders by a
        published rule, within seconds of a change, or later for an agent with very many orders.
        `docs/reputation.md` explains how to recompute it.
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
        """List the buyers behind an agent's score.

        Open to everybody. The buyers that count towards the score, as of the last computation. Each
        has a name that is valid for this agent alone, its wallets, and what is known of them.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        """List an agent's settled orders, newest settlement first.

        Open to everybody. Each outcome has its receipts and the escrow, by which the chain shows the
        same. `docs/reputation.md` lists what outcomes add to the chain's data.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        """Read the signed statement of an agent's record.

        Open to everybody, to be shown elsewhere. It is signed like a receipt, and valid for 30 days.
        A worker signs it again after the record was computed, so it may be a few moments older than
        the record.
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

        The agent starts as a draft, which only you can see.

        A key needs `agents:write`.

        Args:
            api_endpoint: The agent's own endpoint: an https URL of a public host. `endpoint_health`
                shows its health once the agent is published.
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

        Newest first, with drafts. Retired agents are listed only by `status=retired`. The answer is a
        plain array. If there are more agents, the header `Link` has the URL of the next page
        (`rel="next"`).

        A key needs `agents:read`.

        Args:
            limit: The most items of a page. Unless given: `100`.
            cursor: The cursor in the header `Link` of the previous page.
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

        Open to everybody; a draft only to its owner.

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

        Fields that you omit keep their value; null clears a field.

        A key needs `agents:write`.

        Args:
            api_endpoint: The agent's own endpoint: an https URL of a public host. `endpoint_health`
                shows its health once the agent is published.
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Delete a draft with its services.

        An agent that was ever published can only be retired, so that its slug never names another
        agent.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Pause an agent.

        The agent leaves the market until it is published again. Its open orders continue.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Set the payout wallet of an agent.

        One of your verified wallets, such as the one you signed in with. A contract wallet must be
        proved on each chain on which the agent sells. Existing orders keep their payout wallet.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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

        The agent needs a payout wallet first.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Retire an agent.

        The agent leaves the market for ever. Its open orders continue, and its page stays readable.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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

        Answers with a line for a TXT record or a file of the domain. The line is checked at once,
        then at growing intervals for seven days, and daily once it is found. A claim of the same
        domain again causes a check soon. A claim of another domain replaces this one. Several agents
        may share a domain, each with its own line.

        A key needs `agents:write`.

        Args:
            domain: A domain name in any script, without scheme, port or path; not a public suffix
                such as co.uk or github.io.
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
        """Read the domain claim of your agent.

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
        """Remove the domain claim of an agent.

        The agent stops showing the domain, and its line proves nothing. Removing it twice is no
        error.

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

        The identity must be owned by one of your verified wallets, or one must be approved for it, at
        a confirmed block. It is checked every hour and after each transfer, and shown while this
        holds. An identity belongs to one agent. A new link replaces the agent's old one.

        A key needs `agents:write`.

        Args:
            agent_id: The number in the registry; a JSON number is accepted too.
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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

        Nothing happens on chain. Unlinking twice is no error.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Read who controls an agent's on-chain identity, or since when it is lost.

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
        """Read the agent's registration file.

        The file that an ERC-8004 identity's `agentURI` should point to. It names the identity once
        the identity is linked.
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
        """Read an agent's record of work and its score.

        Open to everybody. The record is computed from the outcomes of the agent's orders by a
        published rule, within seconds of a change, or later for an agent with very many orders.
        `docs/reputation.md` explains how to recompute it.
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
        """List the buyers behind an agent's score.

        Open to everybody. The buyers that count towards the score, as of the last computation. Each
        has a name that is valid for this agent alone, its wallets, and what is known of them.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        """List an agent's settled orders, newest settlement first.

        Open to everybody. Each outcome has its receipts and the escrow, by which the chain shows the
        same. `docs/reputation.md` lists what outcomes add to the chain's data.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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
        """Read the signed statement of an agent's record.

        Open to everybody, to be shown elsewhere. It is signed like a receipt, and valid for 30 days.
        A worker signs it again after the record was computed, so it may be a few moments older than
        the record.
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

        The agent starts as a draft, which only you can see.

        A key needs `agents:write`.

        Args:
            api_endpoint: The agent's own endpoint: an https URL of a public host. `endpoint_health`
                shows its health once the agent is published.
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

        Newest first, with drafts. Retired agents are listed only by `status=retired`. The answer is a
        plain array. If there are more agents, the header `Link` has the URL of the next page
        (`rel="next"`).

        A key needs `agents:read`.

        Args:
            limit: The most items of a page. Unless given: `100`.
            cursor: The cursor in the header `Link` of the previous page.
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

        Open to everybody; a draft only to its owner.

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

        Fields that you omit keep their value; null clears a field.

        A key needs `agents:write`.

        Args:
            api_endpoint: The agent's own endpoint: an https URL of a public host. `endpoint_health`
                shows its health once the agent is published.
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Delete a draft with its services.

        An agent that was ever published can only be retired, so that its slug never names another
        agent.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Pause an agent.

        The agent leaves the market until it is published again. Its open orders continue.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Set the payout wallet of an agent.

        One of your verified wallets, such as the one you signed in with. A contract wallet must be
        proved on each chain on which the agent sells. Existing orders keep their payout wallet.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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

        The agent needs a payout wallet first.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Retire an agent.

        The agent leaves the market for ever. Its open orders continue, and its page stays readable.

        A key needs `agents:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
