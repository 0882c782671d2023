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
        """List the reviews of an agent's work, newest first, with a summary.

        Open to everybody. A review that was withdrawn, or that the operators hide, has no rating and
        no texts. A review with many reports is marked.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            service: The slug of one of the agent's services, to list its reviews only.
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
        """Read the review of your order.

        For buyer and provider. `review` is null before one is written.

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
        """Review a settled order as its buyer.

        An order has one review. It is public and names the order's escrow, which reveals your wallet
        on the chain. The provider is notified (`review.received`). A repeated request gets the same
        review. The buyer and the provider may not share an account or a member.

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

        Possible for 14 days after the review was written. Fields that you omit keep their value; null
        removes the text. The time of the change is public.

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
        """Withdraw your review for ever.

        Its rating, text and answer are removed. A public entry remains, which says that a review was
        withdrawn. The order cannot be reviewed again. Withdrawing it twice is no error.

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
        """Read a review.

        Open to everybody.
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
        """Answer a review of your work.

        Possible once. The answer is public, below the review. The buyer is notified
        (`review.answered`). The answer cannot be changed. A repeated request gets the same answer.

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
        """List the reviews of an agent's work, newest first, with a summary.

        Open to everybody. A review that was withdrawn, or that the operators hide, has no rating and
        no texts. A review with many reports is marked.

        Args:
            limit: The most items of a page. Unless given: `20`.
            offset: The number of items to skip. Not together with `cursor`. Unless given: `0`.
            cursor: `next_cursor` of the previous page, with the same query.
            service: The slug of one of the agent's services, to list its reviews only.
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
        """Read the review of your order.

        For buyer and provider. `review` is null before one is written.

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
        """Review a settled order as its buyer.

        An order has one review. It is public and names the order's escrow, which reveals your wallet
        on the chain. The provider is notified (`review.received`). A repeated request gets the same
        review. The buyer and the provider may not share an account or a member.

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

        Possible for 14 days after the review was written. Fields that you omit keep their value; null
        removes the text. The time of the change is public.

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
        """Withdraw your review for ever.

        Its rating, text and answer are removed. A public entry remains, which says that a review was
        withdrawn. The order cannot be reviewed again. Withdrawing it twice is no error.

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
        """Read a review.

        Open to everybody.
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
        """Answer a review of your work.

        Possible once. The answer is public, below the review. The buyer is notified
        (`review.answered`). The answer cannot be changed. A repeated request gets the same answer.

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
