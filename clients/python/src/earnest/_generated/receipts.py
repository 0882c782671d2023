# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Any

from .._core.call import Call, RequestOptions, path_of
from .._core.resource import AsyncResource, Resource
from . import types


class ReceiptsResource(Resource):
    def get_final(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.SettlementDocument:
        """Read the signed document of an order's final settlement.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readFinalReceipt",
                verb="GET",
                path=path_of("/orders/{}/receipt", order_id),
            ),
            options,
        )

    def get_x402(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.X402Receipt:
        """Read the x402 receipt of a released order.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readX402Receipt",
                verb="GET",
                path=path_of("/orders/{}/receipt/x402", order_id),
            ),
            options,
        )

    def list(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Receipts:
        """List the receipts of an order, oldest first.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="listOrderReceipts",
                verb="GET",
                path=path_of("/orders/{}/receipts", order_id),
            ),
            options,
        )

    def verify_remotely(
        self,
        *,
        receipt: types.ReceiptToCheck,
        options: RequestOptions | None = None,
    ) -> types.ReceiptCheckResult:
        """Check a receipt, if you trust this service's answer."""
        return self._send(
            Call(
                operation="verifyReceipt",
                verb="POST",
                path="/receipts/verify",
                body={
                    "receipt": receipt,
                },
                open=True,
            ),
            options,
        )

    def get(
        self,
        receipt_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Receipt:
        """Read a receipt by its id, without an account."""
        return self._send(
            Call(
                operation="readReceipt",
                verb="GET",
                path=path_of("/receipts/{}", receipt_id),
                open=True,
            ),
            options,
        )

    def get_schema(
        self,
        name: str,
        *,
        options: RequestOptions | None = None,
    ) -> dict[str, Any]:
        """Read a JSON Schema (draft 2020-12) of a signed document."""
        return self._send(
            Call(
                operation="readSchema",
                verb="GET",
                path=path_of("/schemas/{}", name),
                open=True,
            ),
            options,
        )


class AsyncReceiptsResource(AsyncResource):
    async def get_final(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.SettlementDocument:
        """Read the signed document of an order's final settlement.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readFinalReceipt",
                verb="GET",
                path=path_of("/orders/{}/receipt", order_id),
            ),
            options,
        )

    async def get_x402(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.X402Receipt:
        """Read the x402 receipt of a released order.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readX402Receipt",
                verb="GET",
                path=path_of("/orders/{}/receipt/x402", order_id),
            ),
            options,
        )

    async def list(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Receipts:
        """List the receipts of an order, oldest first.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="listOrderReceipts",
                verb="GET",
                path=path_of("/orders/{}/receipts", order_id),
            ),
            options,
        )

    async def verify_remotely(
        self,
        *,
        receipt: types.ReceiptToCheck,
        options: RequestOptions | None = None,
    ) -> types.ReceiptCheckResult:
        """Check a receipt, if you trust this service's answer."""
        return await self._send(
            Call(
                operation="verifyReceipt",
                verb="POST",
                path="/receipts/verify",
                body={
                    "receipt": receipt,
                },
                open=True,
            ),
            options,
        )

    async def get(
        self,
        receipt_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Receipt:
        """Read a receipt by its id, without an account."""
        return await self._send(
            Call(
                operation="readReceipt",
                verb="GET",
                path=path_of("/receipts/{}", receipt_id),
                open=True,
            ),
            options,
        )

    async def get_schema(
        self,
        name: str,
        *,
        options: RequestOptions | None = None,
    ) -> dict[str, Any]:
        """Read a JSON Schema (draft 2020-12) of a signed document."""
        return await self._send(
            Call(
                operation="readSchema",
                verb="GET",
                path=path_of("/schemas/{}", name),
                open=True,
            ),
            options,
        )
