# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import Call, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types


class DataExportResource(Resource):
    def download(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> bytes:
        """Download the newest export of your data.

        A zip file with one JSON file for each kind of data. Only a session of the account gets it.
        """
        return self._send(
            Call(
                operation="downloadDataExport",
                verb="GET",
                path="/exports/account.zip",
                root=True,
                accept="application/zip",
                file=True,
            ),
            options,
        )

    def request(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataExport:
        """Request an export of all data of your account.

        A worker makes the file, once a day for an account. It is stored for 3 days.
        """
        return self._send(
            Call(
                operation="requestDataExport",
                verb="POST",
                path="/me/export",
                takes_key=True,
            ),
            options,
        )

    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataExport:
        """Read the state of the newest export of your data."""
        return self._send(
            Call(
                operation="readDataExport",
                verb="GET",
                path="/me/export",
            ),
            options,
        )


class AsyncDataExportResource(AsyncResource):
    async def download(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> bytes:
        """Download the newest export of your data.

        A zip file with one JSON file for each kind of data. Only a session of the account gets it.
        """
        return await self._send(
            Call(
                operation="downloadDataExport",
                verb="GET",
                path="/exports/account.zip",
                root=True,
                accept="application/zip",
                file=True,
            ),
            options,
        )

    async def request(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataExport:
        """Request an export of all data of your account.

        A worker makes the file, once a day for an account. It is stored for 3 days.
        """
        return await self._send(
            Call(
                operation="requestDataExport",
                verb="POST",
                path="/me/export",
                takes_key=True,
            ),
            options,
        )

    async def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.DataExport:
        """Read the state of the newest export of your data."""
        return await self._send(
            Call(
                operation="readDataExport",
                verb="GET",
                path="/me/export",
            ),
            options,
        )
