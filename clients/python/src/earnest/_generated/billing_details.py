# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from typing import Sequence

from .._core.call import OMITTED, Call, Omitted, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class BillingDetailsResource(Resource):
    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.BillingDetails:
        """Read the billing details of this account."""
        return self._send(
            Call(
                operation="readBillingDetails",
                verb="GET",
                path="/me/billing-details",
            ),
            options,
        )

    def set(
        self,
        *,
        name: str,
        address_lines: Sequence[str],
        country: str,
        tax_id: str | None | Omitted = OMITTED,
        tax_rate: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.BillingDetails:
        """Set the billing details of this account.

        Invoices of your sales state them as seller, invoices of your purchases as buyer. The other
        party of an order reads them only there. An invoice keeps the details with which it was
        issued.

        Args:
            country: By ISO 3166-1 alpha-2.
            tax_rate: The tax in percent that your prices include; null: your invoices state no tax.
                The buyer pays the same.
        """
        return self._send(
            Call(
                operation="setBillingDetails",
                verb="PUT",
                path="/me/billing-details",
                body={
                    "name": name,
                    "address_lines": address_lines,
                    "country": country,
                    "tax_id": tax_id,
                    "tax_rate": tax_rate,
                },
                takes_key=True,
            ),
            options,
        )

    def remove(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.BillingDetailsRemoved:
        """Remove the billing details of this account.

        Issued invoices keep the details. Later invoices of your sales are payment records.
        """
        return self._send(
            Call(
                operation="removeBillingDetails",
                verb="DELETE",
                path="/me/billing-details",
                takes_key=True,
            ),
            options,
        )


class AsyncBillingDetailsResource(AsyncResource):
    async def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.BillingDetails:
        """Read the billing details of this account."""
        return await self._send(
            Call(
                operation="readBillingDetails",
                verb="GET",
                path="/me/billing-details",
            ),
            options,
        )

    async def set(
        self,
        *,
        name: str,
        address_lines: Sequence[str],
        country: str,
        tax_id: str | None | Omitted = OMITTED,
        tax_rate: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.BillingDetails:
        """Set the billing details of this account.

        Invoices of your sales state them as seller, invoices of your purchases as buyer. The other
        party of an order reads them only there. An invoice keeps the details with which it was
        issued.

        Args:
            country: By ISO 3166-1 alpha-2.
            tax_rate: The tax in percent that your prices include; null: your invoices state no tax.
                The buyer pays the same.
        """
        return await self._send(
            Call(
                operation="setBillingDetails",
                verb="PUT",
                path="/me/billing-details",
                body={
                    "name": name,
                    "address_lines": address_lines,
                    "country": country,
                    "tax_id": tax_id,
                    "tax_rate": tax_rate,
                },
                takes_key=True,
            ),
            options,
        )

    async def remove(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.BillingDetailsRemoved:
        """Remove the billing details of this account.

        Issued invoices keep the details. Later invoices of your sales are payment records.
        """
        return await self._send(
            Call(
                operation="removeBillingDetails",
                verb="DELETE",
                path="/me/billing-details",
                takes_key=True,
            ),
            options,
        )
