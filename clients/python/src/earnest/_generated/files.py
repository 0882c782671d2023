# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class FilesResource(Resource):
    def create(
        self,
        *,
        name: str,
        size: int,
        sha256: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.StoredFile:
        """Begin the upload of a file.

        Send the bytes to `upload_url` by the tus protocol 1.0, in requests of at most 64 MiB. A
        broken upload resumes where it stopped. The file counts against your quota from now on.

        A key needs `orders:write`.

        Args:
            size: The bytes of the whole file.
            sha256: The SHA-256 that the bytes must have; computed from the bytes if you omit it.
        """
        return self._send(
            Call(
                operation="createFile",
                verb="POST",
                path="/files",
                body={
                    "name": name,
                    "size": size,
                    "sha256": sha256,
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
    ) -> Page[types.StoredFile, types.StoredFilePage]:
        """List your files, newest first.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listFiles",
                verb="GET",
                path="/files",
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
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.StoredFile:
        """Read a file's name, size, hash and type.

        For its uploader, the parties of an order that names the file, and the arbiter of such an
        order's dispute.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readFile",
                verb="GET",
                path=path_of("/files/{}", file_id),
            ),
            options,
        )

    def delete(
        self,
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DeletedFile:
        """Delete an unused file, or an upload.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="deleteFile",
                verb="DELETE",
                path=path_of("/files/{}", file_id),
                takes_key=True,
            ),
            options,
        )

    def create_link(
        self,
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.FileLink:
        """Make a short-lived link to a file's bytes.

        The link needs no token and works for a few minutes. The browser saves the file and never
        shows it.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="createFileLink",
                verb="POST",
                path=path_of("/files/{}/link", file_id),
                takes_key=True,
            ),
            options,
        )


class AsyncFilesResource(AsyncResource):
    async def create(
        self,
        *,
        name: str,
        size: int,
        sha256: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.StoredFile:
        """Begin the upload of a file.

        Send the bytes to `upload_url` by the tus protocol 1.0, in requests of at most 64 MiB. A
        broken upload resumes where it stopped. The file counts against your quota from now on.

        A key needs `orders:write`.

        Args:
            size: The bytes of the whole file.
            sha256: The SHA-256 that the bytes must have; computed from the bytes if you omit it.
        """
        return await self._send(
            Call(
                operation="createFile",
                verb="POST",
                path="/files",
                body={
                    "name": name,
                    "size": size,
                    "sha256": sha256,
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
    ) -> AsyncPages[types.StoredFile, types.StoredFilePage]:
        """List your files, newest first.

        A key needs `orders:read`.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
        """
        return self._send_page(
            Call(
                operation="listFiles",
                verb="GET",
                path="/files",
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
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.StoredFile:
        """Read a file's name, size, hash and type.

        For its uploader, the parties of an order that names the file, and the arbiter of such an
        order's dispute.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readFile",
                verb="GET",
                path=path_of("/files/{}", file_id),
            ),
            options,
        )

    async def delete(
        self,
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.DeletedFile:
        """Delete an unused file, or an upload.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="deleteFile",
                verb="DELETE",
                path=path_of("/files/{}", file_id),
                takes_key=True,
            ),
            options,
        )

    async def create_link(
        self,
        file_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.FileLink:
        """Make a short-lived link to a file's bytes.

        The link needs no token and works for a few minutes. The browser saves the file and never
        shows it.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="createFileLink",
                verb="POST",
                path=path_of("/files/{}/link", file_id),
                takes_key=True,
            ),
            options,
        )
