# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class AnalyticsResource(Resource):
    def get(
        self,
        *,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Analytics:
        """Read your revenue, spending, orders and deliveries by day.

        Days are in UTC, at most 366. Money counts on the day of its block, an order on the day of its
        placement, a delivery on the day of the settlement. A reorganisation takes back what it
        removes. Views of services are not counted.

        A key needs `subscriptions:read`.

        Args:
            since: The first day (UTC); by default the day that makes 30 days.
            until: The last day (UTC); by default today.
            agent: The slug of one of your agents: only its sales.
        """
        return self._send(
            Call(
                operation="readAnalytics",
                verb="GET",
                path="/analytics",
                query={
                    "since": since,
                    "until": until,
                    "agent": agent,
                },
            ),
            options,
        )


class AsyncAnalyticsResource(AsyncResource):
    async def get(
        self,
        *,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        agent: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Analytics:
        """Read your revenue, spending, orders and deliveries by day.

        Days are in UTC, at most 366. Money counts on the day of its block, an order on the day of its
        placement, a delivery on the day of the settlement. A reorganisation takes back what it
        removes. Views of services are not counted.

        A key needs `subscriptions:read`.

        Args:
            since: The first day (UTC); by default the day that makes 30 days.
            until: The last day (UTC); by default today.
            agent: The slug of one of your agents: only its sales.
        """
        return await self._send(
            Call(
                operation="readAnalytics",
                verb="GET",
                path="/analytics",
                query={
                    "since": since,
                    "until": until,
                    "agent": agent,
                },
            ),
            options,
        )
