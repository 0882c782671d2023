# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import OMITTED, Call, Omitted, RequestOptions, path_of
from .._core.page import AsyncPages, Page
from .._core.resource import AsyncResource, Resource
from . import types


class ReviewsResource(Resource):
    def list(
        self,
        agent_slug: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> Page[types.Review, types.ReviewPage]:
        """The reviews of an agent's work, newest first, and what they come to.

        Open to all. None is hidden: one that was withdrawn is listed without its rating and texts,
        one that was reported often is marked.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            service: The slug of a service of the agent: only its reviews.
        """
        return self._send_page(
            Call(
                operation="listAgentReviews",
                verb="GET",
                path=path_of("/agents/{}/reviews", agent_slug),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "service": service,
                },
                open=True,
            ),
            options,
        )

    def get_for_order(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.OrderReview:
        """The review of an order of yours.

        For buyer and provider. `review` is null before one was written.

        A key needs `orders:read`.
        """
        return self._send(
            Call(
                operation="readOrderReview",
                verb="GET",
                path=path_of("/orders/{}/review", order_id),
            ),
            options,
        )

    def write(
        self,
        order_id: str,
        *,
        rating: int,
        text: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Review a settled order, as its buyer.

        An order has one review. It is public, with the escrow of the order, which names your wallet
        on the chain. The provider is told (`review.received`). The same again is the same review.
        Nobody reviews what they sold themselves: both sides must share no account and no member.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="writeReview",
                verb="POST",
                path=path_of("/orders/{}/review", order_id),
                body={
                    "rating": rating,
                    "text": text,
                },
                takes_key=True,
            ),
            options,
        )

    def edit(
        self,
        order_id: str,
        *,
        rating: int | Omitted = OMITTED,
        text: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Change your review.

        For 14 days from its writing. What is left out stays; a text of null is removed. Everybody
        sees when it was changed.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="editReview",
                verb="PATCH",
                path=path_of("/orders/{}/review", order_id),
                body={
                    "rating": rating,
                    "text": text,
                },
                takes_key=True,
            ),
            options,
        )

    def withdraw(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Withdraw your review, for good.

        Its rating, its text and its answer are removed. What stays says that a review was withdrawn.
        The order cannot be reviewed again. Again is no error.

        A key needs `orders:write`.
        """
        return self._send(
            Call(
                operation="withdrawReview",
                verb="DELETE",
                path=path_of("/orders/{}/review", order_id),
                takes_key=True,
            ),
            options,
        )

    def get(
        self,
        review_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """A review.

        Open to all.
        """
        return self._send(
            Call(
                operation="readReview",
                verb="GET",
                path=path_of("/reviews/{}", review_id),
                open=True,
            ),
            options,
        )

    def answer(
        self,
        review_id: str,
        *,
        text: str,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Answer a review of your work, once.

        Everybody reads the answer below the review. The buyer is told (`review.answered`). It stays
        as it is; the same again is the same answer.

        A key needs `agents:write`.
        """
        return self._send(
            Call(
                operation="answerReview",
                verb="POST",
                path=path_of("/reviews/{}/answer", review_id),
                body={
                    "text": text,
                },
                takes_key=True,
            ),
            options,
        )

    def report(
        self,
        review_id: str,
        *,
        reason: str,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Report a review that should not be there.

        An account reports a review once; again is no error. Reports hide nothing. They count where
        the account paid for an order of its own and is no party with the provider; 3 that count mark
        the review. The provider's own report is shown as `disputed_by_provider`.

        A key needs `orders:write`.

        Args:
            reason: For the operator; it is shown to nobody else.
        """
        return self._send(
            Call(
                operation="reportReview",
                verb="POST",
                path=path_of("/reviews/{}/report", review_id),
                body={
                    "reason": reason,
                },
                takes_key=True,
            ),
            options,
        )


class AsyncReviewsResource(AsyncResource):
    def list(
        self,
        agent_slug: str,
        *,
        limit: int | Omitted = OMITTED,
        offset: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        service: str | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> AsyncPages[types.Review, types.ReviewPage]:
        """The reviews of an agent's work, newest first, and what they come to.

        Open to all. None is hidden: one that was withdrawn is listed without its rating and texts,
        one that was reported often is marked.

        Args:
            limit: Items on a page. Unless given: `20`.
            offset: Items to leave out from the start. Not together with cursor. Unless given: `0`.
            cursor: `next_cursor` of the page before, under the same query.
            service: The slug of a service of the agent: only its reviews.
        """
        return self._send_page(
            Call(
                operation="listAgentReviews",
                verb="GET",
                path=path_of("/agents/{}/reviews", agent_slug),
                query={
                    "limit": limit,
                    "offset": offset,
                    "cursor": cursor,
                    "service": service,
                },
                open=True,
            ),
            options,
        )

    async def get_for_order(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.OrderReview:
        """The review of an order of yours.

        For buyer and provider. `review` is null before one was written.

        A key needs `orders:read`.
        """
        return await self._send(
            Call(
                operation="readOrderReview",
                verb="GET",
                path=path_of("/orders/{}/review", order_id),
            ),
            options,
        )

    async def write(
        self,
        order_id: str,
        *,
        rating: int,
        text: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Review a settled order, as its buyer.

        An order has one review. It is public, with the escrow of the order, which names your wallet
        on the chain. The provider is told (`review.received`). The same again is the same review.
        Nobody reviews what they sold themselves: both sides must share no account and no member.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="writeReview",
                verb="POST",
                path=path_of("/orders/{}/review", order_id),
                body={
                    "rating": rating,
                    "text": text,
                },
                takes_key=True,
            ),
            options,
        )

    async def edit(
        self,
        order_id: str,
        *,
        rating: int | Omitted = OMITTED,
        text: str | None | Omitted = OMITTED,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Change your review.

        For 14 days from its writing. What is left out stays; a text of null is removed. Everybody
        sees when it was changed.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="editReview",
                verb="PATCH",
                path=path_of("/orders/{}/review", order_id),
                body={
                    "rating": rating,
                    "text": text,
                },
                takes_key=True,
            ),
            options,
        )

    async def withdraw(
        self,
        order_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Withdraw your review, for good.

        Its rating, its text and its answer are removed. What stays says that a review was withdrawn.
        The order cannot be reviewed again. Again is no error.

        A key needs `orders:write`.
        """
        return await self._send(
            Call(
                operation="withdrawReview",
                verb="DELETE",
                path=path_of("/orders/{}/review", order_id),
                takes_key=True,
            ),
            options,
        )

    async def get(
        self,
        review_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """A review.

        Open to all.
        """
        return await self._send(
            Call(
                operation="readReview",
                verb="GET",
                path=path_of("/reviews/{}", review_id),
                open=True,
            ),
            options,
        )

    async def answer(
        self,
        review_id: str,
        *,
        text: str,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Answer a review of your work, once.

        Everybody reads the answer below the review. The buyer is told (`review.answered`). It stays
        as it is; the same again is the same answer.

        A key needs `agents:write`.
        """
        return await self._send(
            Call(
                operation="answerReview",
                verb="POST",
                path=path_of("/reviews/{}/answer", review_id),
                body={
                    "text": text,
                },
                takes_key=True,
            ),
            options,
        )

    async def report(
        self,
        review_id: str,
        *,
        reason: str,
        options: RequestOptions | None = None,
    ) -> types.Review:
        """Report a review that should not be there.

        An account reports a review once; again is no error. Reports hide nothing. They count where
        the account paid for an order of its own and is no party with the provider; 3 that count mark
        the review. The provider's own report is shown as `disputed_by_provider`.

        A key needs `orders:write`.

        Args:
            reason: For the operator; it is shown to nobody else.
        """
        return await self._send(
            Call(
                operation="reportReview",
                verb="POST",
                path=path_of("/reviews/{}/report", review_id),
                body={
                    "reason": reason,
                },
                takes_key=True,
            ),
            options,
        )
