# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class WebhooksDeliveriesResource(Resource):
    def list(
        self,
        webhook_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.WebhookDeliveryStatus | Omitted = OMITTED,
        type: types.EventType | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.WebhookDelivery, types.WebhookDeliveryPage]:
        """List the deliveries to an endpoint, newest first.

        Deliveries are stored for 30 days.

        A key needs `webhooks:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listWebhookDeliveries",
                verb="GET",
                path=path_of("/webhooks/{}/deliveries", webhook_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                    "type": type,
                    "since": since,
                    "until": until,
                },
            ),
            options,
        )

    def get(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.WebhookDeliveryDetail:
        """Read a delivery with its body and attempts.

        A key needs `webhooks:read`.
        """
        return self._send(
            Call(
                operation="readWebhookDelivery",
                verb="GET",
                path=path_of("/webhooks/{}/deliveries/{}", webhook_id, delivery_id),
            ),
            options,
        )

    def resend(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.WebhookDelivery:
        """Send a delivery again.

        Sends the same body with the same ids. A finished delivery starts its schedule again. A
        waiting delivery is attempted at once.

        A key needs `webhooks:write`.
        """
        return self._send(
            Call(
                operation="resendWebhookDelivery",
                verb="POST",
                path=path_of("/webhooks/{}/deliveries/{}/resend", webhook_id, delivery_id),
                takes_key=True,
            ),
            options,
        )


class WebhooksRecoveriesResource(Resource):
    def start(
        self,
        webhook_id: str,
        *,
        since: str,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.WebhookRecovery:
        """Send an endpoint everything that it missed.

        Queues, in the background, the events of the last 30 days that the endpoint subscribes to and
        never acknowledged.

        A key needs `webhooks:write`.

        Args:
            until: The default is now.
        """
        return self._send(
            Call(
                operation="recoverWebhook",
                verb="POST",
                path=path_of("/webhooks/{}/recover", webhook_id),
                body={
                    "since": since,
                    "until": until,
                },
                takes_key=True,
            ),
            options,
        )

    def get(
        self,
        webhook_id: str,
        recovery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.WebhookRecovery:
        """Read the progress of a recovery.

        A key needs `webhooks:read`.
        """
        return self._send(
            Call(
                operation="readWebhookRecovery",
                verb="GET",
                path=path_of("/webhooks/{}/recoveries/{}", webhook_id, recovery_id),
            ),
            options,
        )


class WebhooksResource(Resource):
    @property
    def deliveries(self) -> WebhooksDeliveriesResource:
        return WebhooksDeliveriesResource(self._transport)

    @property
    def recoveries(self) -> WebhooksRecoveriesResource:
        return WebhooksRecoveriesResource(self._transport)

    def create(
        self,
        *,
        url: str,
        events: Sequence[types.WebhookEventChoice],
        description: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.NewWebhook:
        """Register an endpoint.

        The endpoint gets events from now on. The signing secret is shown only once. The URL must be
        https and reach a public address; see docs/webhooks.md.

        A key needs `webhooks:write`.

        Args:
            url: An https URL of a public address.
            events: Event types, or `*` for all.
        """
        return self._send(
            Call(
                operation="createWebhook",
                verb="POST",
                path="/webhooks",
                body={
                    "url": url,
                    "events": events,
                    "description": description,
                },
                takes_key=True,
            ),
            options,
        )

    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Webhook, types.WebhookPage]:
        """List your endpoints.

        Newest first, without revoked endpoints.

        A key needs `webhooks:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listWebhooks",
                verb="GET",
                path="/webhooks",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    def get(
        self,
        webhook_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Webhook:
        """Read an endpoint.

        A key needs `webhooks:read`.
        """
        return self._send(
            Call(
                operation="readWebhook",
                verb="GET",
                path=path_of("/webhooks/{}", webhook_id),
            ),
            options,
        )

    def update(
        self,
        webhook_id: str,
        *,
        url: str | Omitted = OMITTED,
        events: Sequence[types.WebhookEventChoice] | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        status: types.WebhookStatusChange | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Webhook:
        """Change, pause or resume an endpoint.

        The `status` paused stops deliveries; active resumes a paused or disabled endpoint. Use
        `recover` to send the events of the pause. An endpoint that is disabled because its member
        left needs `rotate-secret` before its `status` can change.

        A key needs `webhooks:write`.

        Args:
            url: An https URL of a public address.
            events: Event types, or `*` for all.
        """
        return self._send(
            Call(
                operation="changeWebhook",
                verb="PATCH",
                path=path_of("/webhooks/{}", webhook_id),
                body={
                    "url": url,
                    "events": events,
                    "description": description,
                    "status": status,
                },
                takes_key=True,
            ),
            options,
        )

    def revoke(
        self,
        webhook_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Webhook:
        """Revoke an endpoint.

        Nothing more is sent to the endpoint, not even pending deliveries.

        A key needs `webhooks:write`.
        """
        return self._send(
            Call(
                operation="revokeWebhook",
                verb="DELETE",
                path=path_of("/webhooks/{}", webhook_id),
                takes_key=True,
            ),
            options,
        )

    def rotate_secret(
        self,
        webhook_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.NewWebhook:
        """Replace the signing secret.

        The new secret is shown only once. For 24 hours, deliveries are signed with both secrets. The
        next rotation is possible after that. If the endpoint is disabled because its member left, the
        old secret stops at once.

        A key needs `webhooks:write`.
        """
        return self._send(
            Call(
                operation="rotateWebhookSecret",
                verb="POST",
                path=path_of("/webhooks/{}/rotate-secret", webhook_id),
                takes_key=True,
            ),
            options,
        )

    def send_test(
        self,
        webhook_id: str,
        *,
        type: types.EventType | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.WebhookDelivery:
        """Send a test event to an endpoint.

        Sent once, also to a paused or disabled endpoint. The data have the form of the type, with
        `test: true`, for an order that does not exist. The event is in no feed. The delivery shows
        the result.

        A key needs `webhooks:write`.
        """
        return self._send(
            Call(
                operation="testWebhook",
                verb="POST",
                path=path_of("/webhooks/{}/test", webhook_id),
                body={
                    "type": type,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncWebhooksDeliveriesResource(AsyncResource):
    def list(
        self,
        webhook_id: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        status: types.WebhookDeliveryStatus | Omitted = OMITTED,
        type: types.EventType | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.WebhookDelivery, types.WebhookDeliveryPage]:
        """List the deliveries to an endpoint, newest first.

        Deliveries are stored for 30 days.

        A key needs `webhooks:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listWebhookDeliveries",
                verb="GET",
                path=path_of("/webhooks/{}/deliveries", webhook_id),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "status": status,
                    "type": type,
                    "since": since,
                    "until": until,
                },
            ),
            options,
        )

    async def get(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.WebhookDeliveryDetail:
        """Read a delivery with its body and attempts.

        A key needs `webhooks:read`.
        """
        return await self._send(
            Call(
                operation="readWebhookDelivery",
                verb="GET",
                path=path_of("/webhooks/{}/deliveries/{}", webhook_id, delivery_id),
            ),
            options,
        )

    async def resend(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.WebhookDelivery:
        """Send a delivery again.

        Sends the same body with the same ids. A finished delivery starts its schedule again. A
        waiting delivery is attempted at once.

        A key needs `webhooks:write`.
        """
        return await self._send(
            Call(
                operation="resendWebhookDelivery",
                verb="POST",
                path=path_of("/webhooks/{}/deliveries/{}/resend", webhook_id, delivery_id),
                takes_key=True,
            ),
            options,
        )


class AsyncWebhooksRecoveriesResource(AsyncResource):
    async def start(
        self,
        webhook_id: str,
        *,
        since: str,
        until: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.WebhookRecovery:
        """Send an endpoint everything that it missed.

        Queues, in the background, the events of the last 30 days that the endpoint subscribes to and
        never acknowledged.

        A key needs `webhooks:write`.

        Args:
            until: The default is now.
        """
        return await self._send(
            Call(
                operation="recoverWebhook",
                verb="POST",
                path=path_of("/webhooks/{}/recover", webhook_id),
                body={
                    "since": since,
                    "until": until,
                },
                takes_key=True,
            ),
            options,
        )

    async def get(
        self,
        webhook_id: str,
        recovery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.WebhookRecovery:
        """Read the progress of a recovery.

        A key needs `webhooks:read`.
        """
        return await self._send(
            Call(
                operation="readWebhookRecovery",
                verb="GET",
                path=path_of("/webhooks/{}/recoveries/{}", webhook_id, recovery_id),
            ),
            options,
        )


class AsyncWebhooksResource(AsyncResource):
    @property
    def deliveries(self) -> AsyncWebhooksDeliveriesResource:
        return AsyncWebhooksDeliveriesResource(self._transport)

    @property
    def recoveries(self) -> AsyncWebhooksRecoveriesResource:
        return AsyncWebhooksRecoveriesResource(self._transport)

    async def create(
        self,
        *,
        url: str,
        events: Sequence[types.WebhookEventChoice],
        description: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.NewWebhook:
        """Register an endpoint.

        The endpoint gets events from now on. The signing secret is shown only once. The URL must be
        https and reach a public address; see docs/webhooks.md.

        A key needs `webhooks:write`.

        Args:
            url: An https URL of a public address.
            events: Event types, or `*` for all.
        """
        return await self._send(
            Call(
                operation="createWebhook",
                verb="POST",
                path="/webhooks",
                body={
                    "url": url,
                    "events": events,
                    "description": description,
                },
                takes_key=True,
            ),
            options,
        )

    def list(
        self,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Webhook, types.WebhookPage]:
        """List your endpoints.

        Newest first, without revoked endpoints.

        A key needs `webhooks:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listWebhooks",
                verb="GET",
                path="/webhooks",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    async def get(
        self,
        webhook_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Webhook:
        """Read an endpoint.

        A key needs `webhooks:read`.
        """
        return await self._send(
            Call(
                operation="readWebhook",
                verb="GET",
                path=path_of("/webhooks/{}", webhook_id),
            ),
            options,
        )

    async def update(
        self,
        webhook_id: str,
        *,
        url: str | Omitted = OMITTED,
        events: Sequence[types.WebhookEventChoice] | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        status: types.WebhookStatusChange | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Webhook:
        """Change, pause or resume an endpoint.

        The `status` paused stops deliveries; active resumes a paused or disabled endpoint. Use
        `recover` to send the events of the pause. An endpoint that is disabled because its member
        left needs `rotate-secret` before its `status` can change.

        A key needs `webhooks:write`.

        Args:
            url: An https URL of a public address.
            events: Event types, or `*` for all.
        """
        return await self._send(
            Call(
                operation="changeWebhook",
                verb="PATCH",
                path=path_of("/webhooks/{}", webhook_id),
                body={
                    "url": url,
                    "events": events,
                    "description": description,
                    "status": status,
                },
                takes_key=True,
            ),
            options,
        )

    async def revoke(
        self,
        webhook_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Webhook:
        """Revoke an endpoint.

        Nothing more is sent to the endpoint, not even pending deliveries.

        A key needs `webhooks:write`.
        """
        return await self._send(
            Call(
                operation="revokeWebhook",
                verb="DELETE",
                path=path_of("/webhooks/{}", webhook_id),
                takes_key=True,
            ),
            options,
        )

    async def rotate_secret(
        self,
        webhook_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.NewWebhook:
        """Replace the signing secret.

        The new secret is shown only once. For 24 hours, deliveries are signed with both secrets. The
        next rotation is possible after that. If the endpoint is disabled because its member left, the
        old secret stops at once.

        A key needs `webhooks:write`.
        """
        return await self._send(
            Call(
                operation="rotateWebhookSecret",
                verb="POST",
                path=path_of("/webhooks/{}/rotate-secret", webhook_id),
                takes_key=True,
            ),
            options,
        )

    async def send_test(
        self,
        webhook_id: str,
        *,
        type: types.EventType | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.WebhookDelivery:
        """Send a test event to an endpoint.

        Sent once, also to a paused or disabled endpoint. The data have the form of the type, with
        `test: true`, for an order that does not exist. The event is in no feed. The delivery shows
        the result.

        A key needs `webhooks:write`.
        """
        return await self._send(
            Call(
                operation="testWebhook",
                verb="POST",
                path=path_of("/webhooks/{}/test", webhook_id),
                body={
                    "type": type,
                },
                takes_key=True,
            ),
            options,
        )
