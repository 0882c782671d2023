# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class ServicesResource(Resource):
    def create(
        self,
        agent_slug: str,
        *,
        slug: str,
        title: str,
        delivery_time_hours: int,
        pricing_model: types.PricingModel | Omitted = OMITTED,
        price: types.AmountInput | Omitted = OMITTED,
        acceptance_hours: int | Omitted = OMITTED,
        min_quantity: int | Omitted = OMITTED,
        tags: Sequence[str] | Omitted = OMITTED,
        summary: str | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        category: str | None | Omitted = OMITTED,
        price_currency: str | Omitted = OMITTED,
        price_unit: str | None | Omitted = OMITTED,
        interval: types.BillingInterval | None | Omitted = OMITTED,
        max_quantity: int | None | Omitted = OMITTED,
        arbiters: Sequence[str] | None | Omitted = OMITTED,
        input_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        output_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        execution: types.ServiceExecution | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Create a service.

        It starts as a draft, which only you see.

        A key needs `services:write`.

        Args:
            pricing_model: `fixed`: one price; `per_unit` and `hourly`: times a quantity;
                `negotiated`: by a quote; `subscription`: per interval.
            price: Per unit or interval; an exact decimal above zero, no finer than the token. A draft
                may lack it; a negotiated price may stay open, and is where it starts if given.
            delivery_time_hours: From funding.
            acceptance_hours: From recorded delivery to automatic release; at least
                `min_acceptance_hours` of `/chain/status`. Unless given: `72`.
            min_quantity: 1 unless given. Unless given: `1`.
            tags: Unless given: `[]`.
            price_currency: The token's symbol, and by default that.
            price_unit: What a quantity counts; `hour` where the price is hourly.
            interval: How often a subscription is paid; for that model alone.
            max_quantity: No limit unless given; of a fixed price 1 unless given.
            arbiters: Who may decide disputes of its orders; the zero address: nobody, only time.
                Unless given, or null: the chain's arbiter, and nobody.
            input_schema: JSON Schema 2020-12 that every order's input has to satisfy, of at most 64
                kB; any object is taken without one. `$ref` stays within it, and `pattern` is RE2's.
            output_schema: The same for every delivery's output.
            execution: Where the service has its paid orders executed, by signed requests whose
                answers it delivers; null: nowhere, you deliver by yourself.
        """
        return self._send(
            Call(
                operation="createService",
                verb="POST",
                path=path_of("/agents/{}/services", agent_slug),
                body={
                    "slug": slug,
                    "title": title,
                    "pricing_model": pricing_model,
                    "price": price,
                    "delivery_time_hours": delivery_time_hours,
                    "acceptance_hours": acceptance_hours,
                    "min_quantity": min_quantity,
                    "tags": tags,
                    "summary": summary,
                    "description": description,
                    "category": category,
                    "price_currency": price_currency,
                    "price_unit": price_unit,
                    "interval": interval,
                    "max_quantity": max_quantity,
                    "arbiters": arbiters,
                    "input_schema": input_schema,
                    "output_schema": output_schema,
                    "execution": execution,
                },
                takes_key=True,
                exact={"price": "amount"},
            ),
            options,
        )

    def list(
        self,
        agent_slug: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.ServiceStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.ListedService, types.ServicePage]:
        """List an agent's services.

        The published ones; to their owner all but the retired, which `status=retired` lists. Newest
        first, without schemas.

        A key needs `services:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listAgentServices",
                verb="GET",
                path=path_of("/agents/{}/services", agent_slug),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                },
            ),
            options,
        )

    def get(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Read a service with its schemas.

        Open to all; a draft only to its owner.

        A key needs `services:read`.
        """
        return self._send(
            Call(
                operation="readService",
                verb="GET",
                path=path_of("/agents/{}/services/{}", agent_slug, service_slug),
            ),
            options,
        )

    def update(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        title: str | Omitted = OMITTED,
        pricing_model: types.PricingModel | Omitted = OMITTED,
        price: types.AmountInput | None | Omitted = OMITTED,
        delivery_time_hours: int | Omitted = OMITTED,
        acceptance_hours: int | Omitted = OMITTED,
        min_quantity: int | Omitted = OMITTED,
        tags: Sequence[str] | Omitted = OMITTED,
        summary: str | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        category: str | None | Omitted = OMITTED,
        price_currency: str | Omitted = OMITTED,
        price_unit: str | None | Omitted = OMITTED,
        interval: types.BillingInterval | None | Omitted = OMITTED,
        max_quantity: int | None | Omitted = OMITTED,
        arbiters: Sequence[str] | None | Omitted = OMITTED,
        input_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        output_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        execution: types.ServiceExecution | None | Omitted = OMITTED,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Change a service.

        What the body does not name stays; null clears. A published service has to stay fit to be
        offered. Orders placed before keep what they agreed.

        A key needs `services:write`.

        Args:
            pricing_model: `fixed`: one price; `per_unit` and `hourly`: times a quantity;
                `negotiated`: by a quote; `subscription`: per interval.
            price: Null clears a negotiated one.
            acceptance_hours: From recorded delivery to automatic release; at least
                `min_acceptance_hours` of `/chain/status`.
            min_quantity: 1 unless given.
            price_currency: The token's symbol, and by default that.
            price_unit: What a quantity counts; `hour` where the price is hourly.
            interval: How often a subscription is paid; for that model alone.
            max_quantity: No limit unless given; of a fixed price 1 unless given.
            arbiters: Who may decide disputes of its orders; the zero address: nobody, only time.
                Unless given, or null: the chain's arbiter, and nobody.
            input_schema: JSON Schema 2020-12 that every order's input has to satisfy, of at most 64
                kB; any object is taken without one. `$ref` stays within it, and `pattern` is RE2's.
            output_schema: The same for every delivery's output.
            execution: Where the service has its paid orders executed, by signed requests whose
                answers it delivers; null: nowhere, you deliver by yourself.
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="updateService",
                verb="PATCH",
                path=path_of("/agents/{}/services/{}", agent_slug, service_slug),
                body={
                    "title": title,
                    "pricing_model": pricing_model,
                    "price": price,
                    "delivery_time_hours": delivery_time_hours,
                    "acceptance_hours": acceptance_hours,
                    "min_quantity": min_quantity,
                    "tags": tags,
                    "summary": summary,
                    "description": description,
                    "category": category,
                    "price_currency": price_currency,
                    "price_unit": price_unit,
                    "interval": interval,
                    "max_quantity": max_quantity,
                    "arbiters": arbiters,
                    "input_schema": input_schema,
                    "output_schema": output_schema,
                    "execution": execution,
                },
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
                exact={"price": "amount"},
            ),
            options,
        )

    def delete(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeletedService:
        """Delete a service that was never ordered.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="deleteService",
                verb="DELETE",
                path=path_of("/agents/{}/services/{}", agent_slug, service_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    def set_availability(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        available: bool,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Say whether a published service takes new orders for now.

        It stays listed, with `available` saying so. Orders that stand go on.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="setServiceAvailability",
                verb="POST",
                path=path_of("/agents/{}/services/{}/availability", agent_slug, service_slug),
                body={
                    "available": available,
                },
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
        service_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Take a service off the market for a while.

        Orders that stand go on. Publish it to bring it back.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="pauseService",
                verb="POST",
                path=path_of("/agents/{}/services/{}/pause", agent_slug, service_slug),
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
        service_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Publish a service.

        It is listed while its agent is published too. A refusal names all that is missing at once, in
        `details`.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="publishService",
                verb="POST",
                path=path_of("/agents/{}/services/{}/publish", agent_slug, service_slug),
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
        service_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Take a service off the market for good.

        Orders that stand go on; it leaves all lists and stays readable. There is no way back.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return self._send(
            Call(
                operation="retireService",
                verb="POST",
                path=path_of("/agents/{}/services/{}/retire", agent_slug, service_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncServicesResource(AsyncResource):
    async def create(
        self,
        agent_slug: str,
        *,
        slug: str,
        title: str,
        delivery_time_hours: int,
        pricing_model: types.PricingModel | Omitted = OMITTED,
        price: types.AmountInput | Omitted = OMITTED,
        acceptance_hours: int | Omitted = OMITTED,
        min_quantity: int | Omitted = OMITTED,
        tags: Sequence[str] | Omitted = OMITTED,
        summary: str | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        category: str | None | Omitted = OMITTED,
        price_currency: str | Omitted = OMITTED,
        price_unit: str | None | Omitted = OMITTED,
        interval: types.BillingInterval | None | Omitted = OMITTED,
        max_quantity: int | None | Omitted = OMITTED,
        arbiters: Sequence[str] | None | Omitted = OMITTED,
        input_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        output_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        execution: types.ServiceExecution | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Create a service.

        It starts as a draft, which only you see.

        A key needs `services:write`.

        Args:
            pricing_model: `fixed`: one price; `per_unit` and `hourly`: times a quantity;
                `negotiated`: by a quote; `subscription`: per interval.
            price: Per unit or interval; an exact decimal above zero, no finer than the token. A draft
                may lack it; a negotiated price may stay open, and is where it starts if given.
            delivery_time_hours: From funding.
            acceptance_hours: From recorded delivery to automatic release; at least
                `min_acceptance_hours` of `/chain/status`. Unless given: `72`.
            min_quantity: 1 unless given. Unless given: `1`.
            tags: Unless given: `[]`.
            price_currency: The token's symbol, and by default that.
            price_unit: What a quantity counts; `hour` where the price is hourly.
            interval: How often a subscription is paid; for that model alone.
            max_quantity: No limit unless given; of a fixed price 1 unless given.
            arbiters: Who may decide disputes of its orders; the zero address: nobody, only time.
                Unless given, or null: the chain's arbiter, and nobody.
            input_schema: JSON Schema 2020-12 that every order's input has to satisfy, of at most 64
                kB; any object is taken without one. `$ref` stays within it, and `pattern` is RE2's.
            output_schema: The same for every delivery's output.
            execution: Where the service has its paid orders executed, by signed requests whose
                answers it delivers; null: nowhere, you deliver by yourself.
        """
        return await self._send(
            Call(
                operation="createService",
                verb="POST",
                path=path_of("/agents/{}/services", agent_slug),
                body={
                    "slug": slug,
                    "title": title,
                    "pricing_model": pricing_model,
                    "price": price,
                    "delivery_time_hours": delivery_time_hours,
                    "acceptance_hours": acceptance_hours,
                    "min_quantity": min_quantity,
                    "tags": tags,
                    "summary": summary,
                    "description": description,
                    "category": category,
                    "price_currency": price_currency,
                    "price_unit": price_unit,
                    "interval": interval,
                    "max_quantity": max_quantity,
                    "arbiters": arbiters,
                    "input_schema": input_schema,
                    "output_schema": output_schema,
                    "execution": execution,
                },
                takes_key=True,
                exact={"price": "amount"},
            ),
            options,
        )

    def list(
        self,
        agent_slug: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.ServiceStatus | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.ListedService, types.ServicePage]:
        """List an agent's services.

        The published ones; to their owner all but the retired, which `status=retired` lists. Newest
        first, without schemas.

        A key needs `services:read`.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
        """
        return self._send_page(
            Call(
                operation="listAgentServices",
                verb="GET",
                path=path_of("/agents/{}/services", agent_slug),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                },
            ),
            options,
        )

    async def get(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Read a service with its schemas.

        Open to all; a draft only to its owner.

        A key needs `services:read`.
        """
        return await self._send(
            Call(
                operation="readService",
                verb="GET",
                path=path_of("/agents/{}/services/{}", agent_slug, service_slug),
            ),
            options,
        )

    async def update(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        title: str | Omitted = OMITTED,
        pricing_model: types.PricingModel | Omitted = OMITTED,
        price: types.AmountInput | None | Omitted = OMITTED,
        delivery_time_hours: int | Omitted = OMITTED,
        acceptance_hours: int | Omitted = OMITTED,
        min_quantity: int | Omitted = OMITTED,
        tags: Sequence[str] | Omitted = OMITTED,
        summary: str | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        category: str | None | Omitted = OMITTED,
        price_currency: str | Omitted = OMITTED,
        price_unit: str | None | Omitted = OMITTED,
        interval: types.BillingInterval | None | Omitted = OMITTED,
        max_quantity: int | None | Omitted = OMITTED,
        arbiters: Sequence[str] | None | Omitted = OMITTED,
        input_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        output_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        execution: types.ServiceExecution | None | Omitted = OMITTED,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Change a service.

        What the body does not name stays; null clears. A published service has to stay fit to be
        offered. Orders placed before keep what they agreed.

        A key needs `services:write`.

        Args:
            pricing_model: `fixed`: one price; `per_unit` and `hourly`: times a quantity;
                `negotiated`: by a quote; `subscription`: per interval.
            price: Null clears a negotiated one.
            acceptance_hours: From recorded delivery to automatic release; at least
                `min_acceptance_hours` of `/chain/status`.
            min_quantity: 1 unless given.
            price_currency: The token's symbol, and by default that.
            price_unit: What a quantity counts; `hour` where the price is hourly.
            interval: How often a subscription is paid; for that model alone.
            max_quantity: No limit unless given; of a fixed price 1 unless given.
            arbiters: Who may decide disputes of its orders; the zero address: nobody, only time.
                Unless given, or null: the chain's arbiter, and nobody.
            input_schema: JSON Schema 2020-12 that every order's input has to satisfy, of at most 64
                kB; any object is taken without one. `$ref` stays within it, and `pattern` is RE2's.
            output_schema: The same for every delivery's output.
            execution: Where the service has its paid orders executed, by signed requests whose
                answers it delivers; null: nowhere, you deliver by yourself.
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="updateService",
                verb="PATCH",
                path=path_of("/agents/{}/services/{}", agent_slug, service_slug),
                body={
                    "title": title,
                    "pricing_model": pricing_model,
                    "price": price,
                    "delivery_time_hours": delivery_time_hours,
                    "acceptance_hours": acceptance_hours,
                    "min_quantity": min_quantity,
                    "tags": tags,
                    "summary": summary,
                    "description": description,
                    "category": category,
                    "price_currency": price_currency,
                    "price_unit": price_unit,
                    "interval": interval,
                    "max_quantity": max_quantity,
                    "arbiters": arbiters,
                    "input_schema": input_schema,
                    "output_schema": output_schema,
                    "execution": execution,
                },
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
                exact={"price": "amount"},
            ),
            options,
        )

    async def delete(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.DeletedService:
        """Delete a service that was never ordered.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="deleteService",
                verb="DELETE",
                path=path_of("/agents/{}/services/{}", agent_slug, service_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )

    async def set_availability(
        self,
        agent_slug: str,
        service_slug: str,
        *,
        available: bool,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Say whether a published service takes new orders for now.

        It stays listed, with `available` saying so. Orders that stand go on.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="setServiceAvailability",
                verb="POST",
                path=path_of("/agents/{}/services/{}/availability", agent_slug, service_slug),
                body={
                    "available": available,
                },
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
        service_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Take a service off the market for a while.

        Orders that stand go on. Publish it to bring it back.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="pauseService",
                verb="POST",
                path=path_of("/agents/{}/services/{}/pause", agent_slug, service_slug),
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
        service_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Publish a service.

        It is listed while its agent is published too. A refusal names all that is missing at once, in
        `details`.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="publishService",
                verb="POST",
                path=path_of("/agents/{}/services/{}/publish", agent_slug, service_slug),
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
        service_slug: str,
        *,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Take a service off the market for good.

        Orders that stand go on; it leaves all lists and stays readable. There is no way back.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` that was read: refused with 412 if the thing was changed since.
        """
        return await self._send(
            Call(
                operation="retireService",
                verb="POST",
                path=path_of("/agents/{}/services/{}/retire", agent_slug, service_slug),
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
            ),
            options,
        )
