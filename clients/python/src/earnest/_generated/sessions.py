# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class SessionsResource(Resource):
    def get_current(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.CurrentSession:
        """Read this session.

        `current` is null for a browser without a valid session, and for an API key.
        """
        return self._send(
            Call(
                operation="readSession",
                verb="GET",
                path="/session",
            ),
            options,
        )

    def start(
        self,
        *,
        message: str,
        nonce: str,
        signature: str,
        passkey: types.PasskeyKey | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.BrowserSession:
        """Sign this browser in.

        For the console's pages, with the header `Earnest-Console`. The answer sets a cookie that no
        script can read. Programs sign in with `POST /auth/signin`.

        Args:
            message: The exact message of `POST /auth/nonce`.
            signature: The wallet's signature (EIP-191), or bytes that its contract accepts
                (ERC-1271).
        """
        return self._send(
            Call(
                operation="startSession",
                verb="POST",
                path="/session",
                body={
                    "message": message,
                    "nonce": nonce,
                    "signature": signature,
                    "passkey": passkey,
                },
                open=True,
                may_repeat=False,
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
    ) -> Page[types.Session, types.SessionPage]:
        """List your sessions.

        The valid sessions of your own account, newest first.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listSessions",
                verb="GET",
                path="/sessions",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    def end_others(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.EndedSessions:
        """End all your other sessions."""
        return self._send(
            Call(
                operation="endOtherSessions",
                verb="DELETE",
                path="/sessions",
                takes_key=True,
            ),
            options,
        )

    def end(
        self,
        session_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.EndedSession:
        """End one of your sessions.

        The next request of the session is refused, and its streams end.
        """
        return self._send(
            Call(
                operation="endSession",
                verb="DELETE",
                path=path_of("/sessions/{}", session_id),
                takes_key=True,
            ),
            options,
        )


class AsyncSessionsResource(AsyncResource):
    async def get_current(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.CurrentSession:
        """Read this session.

        `current` is null for a browser without a valid session, and for an API key.
        """
        return await self._send(
            Call(
                operation="readSession",
                verb="GET",
                path="/session",
            ),
            options,
        )

    async def start(
        self,
        *,
        message: str,
        nonce: str,
        signature: str,
        passkey: types.PasskeyKey | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.BrowserSession:
        """Sign this browser in.

        For the console's pages, with the header `Earnest-Console`. The answer sets a cookie that no
        script can read. Programs sign in with `POST /auth/signin`.

        Args:
            message: The exact message of `POST /auth/nonce`.
            signature: The wallet's signature (EIP-191), or bytes that its contract accepts
                (ERC-1271).
        """
        return await self._send(
            Call(
                operation="startSession",
                verb="POST",
                path="/session",
                body={
                    "message": message,
                    "nonce": nonce,
                    "signature": signature,
                    "passkey": passkey,
                },
                open=True,
                may_repeat=False,
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
    ) -> AsyncPages[types.Session, types.SessionPage]:
        """List your sessions.

        The valid sessions of your own account, newest first.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listSessions",
                verb="GET",
                path="/sessions",
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                },
            ),
            options,
        )

    async def end_others(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.EndedSessions:
        """End all your other sessions."""
        return await self._send(
            Call(
                operation="endOtherSessions",
                verb="DELETE",
                path="/sessions",
                takes_key=True,
            ),
            options,
        )

    async def end(
        self,
        session_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.EndedSession:
        """End one of your sessions.

        The next request of the session is refused, and its streams end.
        """
        return await self._send(
            Call(
                operation="endSession",
                verb="DELETE",
                path=path_of("/sessions/{}", session_id),
                takes_key=True,
            ),
            options,
        )
