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
        accepts: Sequence[types.TokenName] | None | Omitted = OMITTED,
        price_unit: str | None | Omitted = OMITTED,
        interval: types.BillingInterval | None | Omitted = OMITTED,
        max_quantity: int | None | Omitted = OMITTED,
        arbiters: Sequence[str] | None | Omitted = OMITTED,
        input_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        output_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        stages: Sequence[types.StageRequest] | None | Omitted = OMITTED,
        execution: types.ServiceExecution | None | Omitted = OMITTED,
        session: types.ServiceSession | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Create a service.

        The service starts as a draft, which only you can see.

        A key needs `services:write`.

        Args:
            pricing_model: `fixed`: one price; `per_unit` and `hourly`: the price times a quantity;
                `metered`: the price times the units that the delivery counts, and the rest goes back to
                the buyer; `per_call`: the price of each call of a session, and the rest goes back to the
                buyer; `negotiated`: by a quote; `subscription`: the price of an interval.
            price: The price per unit or interval: a decimal above zero, with at most the token's
                decimals. A draft may omit it. A negotiated service may omit it, or state a starting
                price.
            delivery_time_hours: Counted from funding.
            acceptance_hours: From the delivery record to the automatic release; at least
                `min_acceptance_hours` of `/chain/status`. Not used by `per_call`, whose sessions have no
                records. Unless given: `72`.
            min_quantity: The default is 1. Unless given: `1`.
            tags: Unless given: `[]`.
            price_currency: A currency such as USD, or a token's symbol; the default is the symbol of
                the first accepted token.
            accepts: The tokens that pay for orders, the preferred one first. Each is of the price's
                currency and pays it one for one. With null, the default token of the default chain.
            price_unit: The unit of a quantity; `hour` if the price is hourly.
            interval: The interval of a subscription; only for that pricing model.
            max_quantity: The default is no limit, or 1 for a fixed price.
            arbiters: The addresses that may decide disputes of the service's orders; the zero address
                means nobody, so that disputes end by time. The default, also for null, is the chain's
                arbiter and nobody.
            input_schema: JSON Schema 2020-12 for the input of orders, at most 64 kB; without one,
                every object is accepted. `$ref` must stay within the schema, and `pattern` is a regular
                expression of RE2.
            output_schema: JSON Schema 2020-12 for the output of deliveries, with the same limits.
            stages: The stages of each order, in order; of services with the pricing model `fixed`
                only. Each is delivered, accepted and paid alone. Their amounts add up to `price`, their
                hours to `delivery_time_hours`. A stage without `output_schema` takes any object, and the
                service's own `output_schema` is not used.
            execution: The endpoint that executes paid orders: the service sends it signed requests
                and delivers its answers. With null you deliver by yourself.
            session: What the calls of a session go to; required by the pricing model `per_call`, and
                for no other.
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
                    "accepts": accepts,
                    "price_unit": price_unit,
                    "interval": interval,
                    "max_quantity": max_quantity,
                    "arbiters": arbiters,
                    "input_schema": input_schema,
                    "output_schema": output_schema,
                    "stages": stages,
                    "execution": execution,
                    "session": session,
                },
                takes_key=True,
                exact={"price": "amount", "stages": {"amount": "amount"}},
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

        Newest first, without schemas. Everybody sees the published services. The owner sees all but
        the retired ones, which `status=retired` lists.

        A key needs `services:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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

        Open to everybody; a draft only to its owner.

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
        accepts: Sequence[types.TokenName] | None | Omitted = OMITTED,
        price_unit: str | None | Omitted = OMITTED,
        interval: types.BillingInterval | None | Omitted = OMITTED,
        max_quantity: int | None | Omitted = OMITTED,
        arbiters: Sequence[str] | None | Omitted = OMITTED,
        input_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        output_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        stages: Sequence[types.StageRequest] | None | Omitted = OMITTED,
        execution: types.ServiceExecution | None | Omitted = OMITTED,
        session: types.ServiceSession | None | Omitted = OMITTED,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Change a service.

        Fields that you omit keep their value; null clears a field. A published service must remain
        complete. Existing orders keep their agreement.

        A key needs `services:write`.

        Args:
            pricing_model: `fixed`: one price; `per_unit` and `hourly`: the price times a quantity;
                `metered`: the price times the units that the delivery counts, and the rest goes back to
                the buyer; `per_call`: the price of each call of a session, and the rest goes back to the
                buyer; `negotiated`: by a quote; `subscription`: the price of an interval.
            price: Null clears the price of a negotiated service.
            acceptance_hours: From the delivery record to the automatic release; at least
                `min_acceptance_hours` of `/chain/status`. Not used by `per_call`, whose sessions have no
                records.
            min_quantity: The default is 1.
            price_currency: A currency such as USD, or a token's symbol; the default is the symbol of
                the first accepted token.
            accepts: The tokens that pay for orders, the preferred one first. Each is of the price's
                currency and pays it one for one. With null, the default token of the default chain.
            price_unit: The unit of a quantity; `hour` if the price is hourly.
            interval: The interval of a subscription; only for that pricing model.
            max_quantity: The default is no limit, or 1 for a fixed price.
            arbiters: The addresses that may decide disputes of the service's orders; the zero address
                means nobody, so that disputes end by time. The default, also for null, is the chain's
                arbiter and nobody.
            input_schema: JSON Schema 2020-12 for the input of orders, at most 64 kB; without one,
                every object is accepted. `$ref` must stay within the schema, and `pattern` is a regular
                expression of RE2.
            output_schema: JSON Schema 2020-12 for the output of deliveries, with the same limits.
            stages: The stages of each order, in order; of services with the pricing model `fixed`
                only. Each is delivered, accepted and paid alone. Their amounts add up to `price`, their
                hours to `delivery_time_hours`. A stage without `output_schema` takes any object, and the
                service's own `output_schema` is not used.
            execution: The endpoint that executes paid orders: the service sends it signed requests
                and delivers its answers. With null you deliver by yourself.
            session: What the calls of a session go to; required by the pricing model `per_call`, and
                for no other.
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
                    "accepts": accepts,
                    "price_unit": price_unit,
                    "interval": interval,
                    "max_quantity": max_quantity,
                    "arbiters": arbiters,
                    "input_schema": input_schema,
                    "output_schema": output_schema,
                    "stages": stages,
                    "execution": execution,
                    "session": session,
                },
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
                exact={"price": "amount", "stages": {"amount": "amount"}},
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
        """Delete a service without orders.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Set whether a published service takes new orders.

        The service stays listed, with `available` in its data. Its open orders continue.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Pause a service.

        The service leaves the market until it is published again. Its open orders continue.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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

        The service is listed while its agent is published too. A refusal lists everything that is
        missing in `details`.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Retire a service.

        The service leaves the market for ever. Its open orders continue, and its page stays readable.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        accepts: Sequence[types.TokenName] | None | Omitted = OMITTED,
        price_unit: str | None | Omitted = OMITTED,
        interval: types.BillingInterval | None | Omitted = OMITTED,
        max_quantity: int | None | Omitted = OMITTED,
        arbiters: Sequence[str] | None | Omitted = OMITTED,
        input_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        output_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        stages: Sequence[types.StageRequest] | None | Omitted = OMITTED,
        execution: types.ServiceExecution | None | Omitted = OMITTED,
        session: types.ServiceSession | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Create a service.

        The service starts as a draft, which only you can see.

        A key needs `services:write`.

        Args:
            pricing_model: `fixed`: one price; `per_unit` and `hourly`: the price times a quantity;
                `metered`: the price times the units that the delivery counts, and the rest goes back to
                the buyer; `per_call`: the price of each call of a session, and the rest goes back to the
                buyer; `negotiated`: by a quote; `subscription`: the price of an interval.
            price: The price per unit or interval: a decimal above zero, with at most the token's
                decimals. A draft may omit it. A negotiated service may omit it, or state a starting
                price.
            delivery_time_hours: Counted from funding.
            acceptance_hours: From the delivery record to the automatic release; at least
                `min_acceptance_hours` of `/chain/status`. Not used by `per_call`, whose sessions have no
                records. Unless given: `72`.
            min_quantity: The default is 1. Unless given: `1`.
            tags: Unless given: `[]`.
            price_currency: A currency such as USD, or a token's symbol; the default is the symbol of
                the first accepted token.
            accepts: The tokens that pay for orders, the preferred one first. Each is of the price's
                currency and pays it one for one. With null, the default token of the default chain.
            price_unit: The unit of a quantity; `hour` if the price is hourly.
            interval: The interval of a subscription; only for that pricing model.
            max_quantity: The default is no limit, or 1 for a fixed price.
            arbiters: The addresses that may decide disputes of the service's orders; the zero address
                means nobody, so that disputes end by time. The default, also for null, is the chain's
                arbiter and nobody.
            input_schema: JSON Schema 2020-12 for the input of orders, at most 64 kB; without one,
                every object is accepted. `$ref` must stay within the schema, and `pattern` is a regular
                expression of RE2.
            output_schema: JSON Schema 2020-12 for the output of deliveries, with the same limits.
            stages: The stages of each order, in order; of services with the pricing model `fixed`
                only. Each is delivered, accepted and paid alone. Their amounts add up to `price`, their
                hours to `delivery_time_hours`. A stage without `output_schema` takes any object, and the
                service's own `output_schema` is not used.
            execution: The endpoint that executes paid orders: the service sends it signed requests
                and delivers its answers. With null you deliver by yourself.
            session: What the calls of a session go to; required by the pricing model `per_call`, and
                for no other.
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
                    "accepts": accepts,
                    "price_unit": price_unit,
                    "interval": interval,
                    "max_quantity": max_quantity,
                    "arbiters": arbiters,
                    "input_schema": input_schema,
                    "output_schema": output_schema,
                    "stages": stages,
                    "execution": execution,
                    "session": session,
                },
                takes_key=True,
                exact={"price": "amount", "stages": {"amount": "amount"}},
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

        Newest first, without schemas. Everybody sees the published services. The owner sees all but
        the retired ones, which `status=retired` lists.

        A key needs `services:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
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

        Open to everybody; a draft only to its owner.

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
        accepts: Sequence[types.TokenName] | None | Omitted = OMITTED,
        price_unit: str | None | Omitted = OMITTED,
        interval: types.BillingInterval | None | Omitted = OMITTED,
        max_quantity: int | None | Omitted = OMITTED,
        arbiters: Sequence[str] | None | Omitted = OMITTED,
        input_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        output_schema: Mapping[str, Any] | None | Omitted = OMITTED,
        stages: Sequence[types.StageRequest] | None | Omitted = OMITTED,
        execution: types.ServiceExecution | None | Omitted = OMITTED,
        session: types.ServiceSession | None | Omitted = OMITTED,
        if_match: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Service:
        """Change a service.

        Fields that you omit keep their value; null clears a field. A published service must remain
        complete. Existing orders keep their agreement.

        A key needs `services:write`.

        Args:
            pricing_model: `fixed`: one price; `per_unit` and `hourly`: the price times a quantity;
                `metered`: the price times the units that the delivery counts, and the rest goes back to
                the buyer; `per_call`: the price of each call of a session, and the rest goes back to the
                buyer; `negotiated`: by a quote; `subscription`: the price of an interval.
            price: Null clears the price of a negotiated service.
            acceptance_hours: From the delivery record to the automatic release; at least
                `min_acceptance_hours` of `/chain/status`. Not used by `per_call`, whose sessions have no
                records.
            min_quantity: The default is 1.
            price_currency: A currency such as USD, or a token's symbol; the default is the symbol of
                the first accepted token.
            accepts: The tokens that pay for orders, the preferred one first. Each is of the price's
                currency and pays it one for one. With null, the default token of the default chain.
            price_unit: The unit of a quantity; `hour` if the price is hourly.
            interval: The interval of a subscription; only for that pricing model.
            max_quantity: The default is no limit, or 1 for a fixed price.
            arbiters: The addresses that may decide disputes of the service's orders; the zero address
                means nobody, so that disputes end by time. The default, also for null, is the chain's
                arbiter and nobody.
            input_schema: JSON Schema 2020-12 for the input of orders, at most 64 kB; without one,
                every object is accepted. `$ref` must stay within the schema, and `pattern` is a regular
                expression of RE2.
            output_schema: JSON Schema 2020-12 for the output of deliveries, with the same limits.
            stages: The stages of each order, in order; of services with the pricing model `fixed`
                only. Each is delivered, accepted and paid alone. Their amounts add up to `price`, their
                hours to `delivery_time_hours`. A stage without `output_schema` takes any object, and the
                service's own `output_schema` is not used.
            execution: The endpoint that executes paid orders: the service sends it signed requests
                and delivers its answers. With null you deliver by yourself.
            session: What the calls of a session go to; required by the pricing model `per_call`, and
                for no other.
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
                    "accepts": accepts,
                    "price_unit": price_unit,
                    "interval": interval,
                    "max_quantity": max_quantity,
                    "arbiters": arbiters,
                    "input_schema": input_schema,
                    "output_schema": output_schema,
                    "stages": stages,
                    "execution": execution,
                    "session": session,
                },
                headers={
                    "if-match": if_match,
                },
                takes_key=True,
                exact={"price": "amount", "stages": {"amount": "amount"}},
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
        """Delete a service without orders.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Set whether a published service takes new orders.

        The service stays listed, with `available` in its data. Its open orders continue.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Pause a service.

        The service leaves the market until it is published again. Its open orders continue.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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

        The service is listed while its agent is published too. A refusal lists everything that is
        missing in `details`.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
        """Retire a service.

        The service leaves the market for ever. Its open orders continue, and its page stays readable.

        A key needs `services:write`.

        Args:
            if_match: The `ETag` of the version that you read: 412 if the resource was changed since.
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
