# Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

from __future__ import annotations

from .._core.call import Call, RequestOptions
from .._core.resource import AsyncResource, Resource
from . import types
from .agents import AsyncAgentsResource, AgentsResource
from .analytics import AsyncAnalyticsResource, AnalyticsResource
from .api_keys import AsyncApiKeysResource, ApiKeysResource
from .audit import AsyncAuditResource, AuditResource
from .auth import AsyncAuthResource, AuthResource
from .balances import AsyncBalancesResource, BalancesResource
from .billing_details import AsyncBillingDetailsResource, BillingDetailsResource
from .chain import AsyncChainResource, ChainResource
from .data_export import AsyncDataExportResource, DataExportResource
from .disputes import AsyncDisputesResource, DisputesResource
from .email import AsyncEmailResource, EmailResource
from .erasure import AsyncErasureResource, ErasureResource
from .events import AsyncEventsResource, EventsResource
from .feedback import AsyncFeedbackResource, FeedbackResource
from .files import AsyncFilesResource, FilesResource
from .invitations import AsyncInvitationsResource, InvitationsResource
from .marketplace import AsyncMarketplaceResource, MarketplaceResource
from .moderations import AsyncModerationsResource, ModerationsResource
from .notifications import AsyncNotificationsResource, NotificationsResource
from .operator import AsyncOperatorResource, OperatorResource
from .orders import AsyncOrdersResource, OrdersResource
from .organisations import AsyncOrganisationsResource, OrganisationsResource
from .passkeys import AsyncPasskeysResource, PasskeysResource
from .payments import AsyncPaymentsResource, PaymentsResource
from .quotes import AsyncQuotesResource, QuotesResource
from .receipts import AsyncReceiptsResource, ReceiptsResource
from .reports import AsyncReportsResource, ReportsResource
from .requests import AsyncRequestsResource, RequestsResource
from .reviews import AsyncReviewsResource, ReviewsResource
from .services import AsyncServicesResource, ServicesResource
from .sessions import AsyncSessionsResource, SessionsResource
from .subscriptions import AsyncSubscriptionsResource, SubscriptionsResource
from .wallets import AsyncWalletsResource, WalletsResource
from .webhooks import AsyncWebhooksResource, WebhooksResource

error_codes: tuple[types.ErrorCode, ...] = (
    "invalid_request",
    "unauthenticated",
    "payment_required",
    "insufficient_scope",
    "insufficient_role",
    "address_not_allowed",
    "spend_limit_exceeded",
    "approval_required",
    "account_banned",
    "forbidden_origin",
    "not_found",
    "not_logged_yet",
    "file_not_found",
    "method_not_allowed",
    "conflict",
    "invalid_state",
    "payout_wallet_required",
    "agent_not_published",
    "service_incomplete",
    "quote_required",
    "subscription_required",
    "not_settled",
    "email_unavailable",
    "file_quota_exceeded",
    "file_erased",
    "precondition_failed",
    "payload_too_large",
    "unsupported_media_type",
    "input_schema_violation",
    "output_schema_violation",
    "invalid_schema",
    "file_mismatch",
    "file_hash_mismatch",
    "idempotency_mismatch",
    "upload_busy",
    "rate_limited",
    "too_many_unpaid_orders",
    "too_many_streams",
    "internal_error",
    "dependency_unavailable",
    "checker_busy",
    "streams_full",
    "outcome_unknown",
)
"""The codes of errors that the service had when this client was made."""


class Api(Resource):
    """Every resource of the API."""

    @property
    def agents(self) -> AgentsResource:
        return AgentsResource(self._transport)

    @property
    def reviews(self) -> ReviewsResource:
        return ReviewsResource(self._transport)

    @property
    def services(self) -> ServicesResource:
        return ServicesResource(self._transport)

    @property
    def analytics(self) -> AnalyticsResource:
        return AnalyticsResource(self._transport)

    @property
    def api_keys(self) -> ApiKeysResource:
        return ApiKeysResource(self._transport)

    @property
    def audit(self) -> AuditResource:
        return AuditResource(self._transport)

    @property
    def auth(self) -> AuthResource:
        return AuthResource(self._transport)

    @property
    def wallets(self) -> WalletsResource:
        return WalletsResource(self._transport)

    @property
    def balances(self) -> BalancesResource:
        return BalancesResource(self._transport)

    @property
    def orders(self) -> OrdersResource:
        return OrdersResource(self._transport)

    @property
    def marketplace(self) -> MarketplaceResource:
        return MarketplaceResource(self._transport)

    @property
    def chain(self) -> ChainResource:
        return ChainResource(self._transport)

    @property
    def disputes(self) -> DisputesResource:
        return DisputesResource(self._transport)

    @property
    def events(self) -> EventsResource:
        return EventsResource(self._transport)

    @property
    def data_export(self) -> DataExportResource:
        return DataExportResource(self._transport)

    @property
    def payments(self) -> PaymentsResource:
        return PaymentsResource(self._transport)

    @property
    def subscriptions(self) -> SubscriptionsResource:
        return SubscriptionsResource(self._transport)

    @property
    def feedback(self) -> FeedbackResource:
        return FeedbackResource(self._transport)

    @property
    def files(self) -> FilesResource:
        return FilesResource(self._transport)

    @property
    def invitations(self) -> InvitationsResource:
        return InvitationsResource(self._transport)

    @property
    def billing_details(self) -> BillingDetailsResource:
        return BillingDetailsResource(self._transport)

    @property
    def email(self) -> EmailResource:
        return EmailResource(self._transport)

    @property
    def erasure(self) -> ErasureResource:
        return ErasureResource(self._transport)

    @property
    def moderations(self) -> ModerationsResource:
        return ModerationsResource(self._transport)

    @property
    def notifications(self) -> NotificationsResource:
        return NotificationsResource(self._transport)

    @property
    def operator(self) -> OperatorResource:
        return OperatorResource(self._transport)

    @property
    def receipts(self) -> ReceiptsResource:
        return ReceiptsResource(self._transport)

    @property
    def organisations(self) -> OrganisationsResource:
        return OrganisationsResource(self._transport)

    @property
    def passkeys(self) -> PasskeysResource:
        return PasskeysResource(self._transport)

    @property
    def quotes(self) -> QuotesResource:
        return QuotesResource(self._transport)

    @property
    def reports(self) -> ReportsResource:
        return ReportsResource(self._transport)

    @property
    def requests(self) -> RequestsResource:
        return RequestsResource(self._transport)

    @property
    def sessions(self) -> SessionsResource:
        return SessionsResource(self._transport)

    @property
    def webhooks(self) -> WebhooksResource:
        return WebhooksResource(self._transport)

    def me(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Me:
        """Read the account that this token acts for."""
        return self._send(
            Call(
                operation="readMe",
                verb="GET",
                path="/me",
            ),
            options,
        )

    def get_transparency(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Transparency:
        """Count the reports and the operators' acts by month.

        Open to everybody. The last 24 months (UTC) with a count, newest first. No count names
        anybody.
        """
        return self._send(
            Call(
                operation="readTransparency",
                verb="GET",
                path="/transparency",
                open=True,
            ),
            options,
        )


class AsyncApi(AsyncResource):
    """Every resource of the API."""

    @property
    def agents(self) -> AsyncAgentsResource:
        return AsyncAgentsResource(self._transport)

    @property
    def reviews(self) -> AsyncReviewsResource:
        return AsyncReviewsResource(self._transport)

    @property
    def services(self) -> AsyncServicesResource:
        return AsyncServicesResource(self._transport)

    @property
    def analytics(self) -> AsyncAnalyticsResource:
        return AsyncAnalyticsResource(self._transport)

    @property
    def api_keys(self) -> AsyncApiKeysResource:
        return AsyncApiKeysResource(self._transport)

    @property
    def audit(self) -> AsyncAuditResource:
        return AsyncAuditResource(self._transport)

    @property
    def auth(self) -> AsyncAuthResource:
        return AsyncAuthResource(self._transport)

    @property
    def wallets(self) -> AsyncWalletsResource:
        return AsyncWalletsResource(self._transport)

    @property
    def balances(self) -> AsyncBalancesResource:
        return AsyncBalancesResource(self._transport)

    @property
    def orders(self) -> AsyncOrdersResource:
        return AsyncOrdersResource(self._transport)

    @property
    def marketplace(self) -> AsyncMarketplaceResource:
        return AsyncMarketplaceResource(self._transport)

    @property
    def chain(self) -> AsyncChainResource:
        return AsyncChainResource(self._transport)

    @property
    def disputes(self) -> AsyncDisputesResource:
        return AsyncDisputesResource(self._transport)

    @property
    def events(self) -> AsyncEventsResource:
        return AsyncEventsResource(self._transport)

    @property
    def data_export(self) -> AsyncDataExportResource:
        return AsyncDataExportResource(self._transport)

    @property
    def payments(self) -> AsyncPaymentsResource:
        return AsyncPaymentsResource(self._transport)

    @property
    def subscriptions(self) -> AsyncSubscriptionsResource:
        return AsyncSubscriptionsResource(self._transport)

    @property
    def feedback(self) -> AsyncFeedbackResource:
        return AsyncFeedbackResource(self._transport)

    @property
    def files(self) -> AsyncFilesResource:
        return AsyncFilesResource(self._transport)

    @property
    def invitations(self) -> AsyncInvitationsResource:
        return AsyncInvitationsResource(self._transport)

    @property
    def billing_details(self) -> AsyncBillingDetailsResource:
        return AsyncBillingDetailsResource(self._transport)

    @property
    def email(self) -> AsyncEmailResource:
        return AsyncEmailResource(self._transport)

    @property
    def erasure(self) -> AsyncErasureResource:
        return AsyncErasureResource(self._transport)

    @property
    def moderations(self) -> AsyncModerationsResource:
        return AsyncModerationsResource(self._transport)

    @property
    def notifications(self) -> AsyncNotificationsResource:
        return AsyncNotificationsResource(self._transport)

    @property
    def operator(self) -> AsyncOperatorResource:
        return AsyncOperatorResource(self._transport)

    @property
    def receipts(self) -> AsyncReceiptsResource:
        return AsyncReceiptsResource(self._transport)

    @property
    def organisations(self) -> AsyncOrganisationsResource:
        return AsyncOrganisationsResource(self._transport)

    @property
    def passkeys(self) -> AsyncPasskeysResource:
        return AsyncPasskeysResource(self._transport)

    @property
    def quotes(self) -> AsyncQuotesResource:
        return AsyncQuotesResource(self._transport)

    @property
    def reports(self) -> AsyncReportsResource:
        return AsyncReportsResource(self._transport)

    @property
    def requests(self) -> AsyncRequestsResource:
        return AsyncRequestsResource(self._transport)

    @property
    def sessions(self) -> AsyncSessionsResource:
        return AsyncSessionsResource(self._transport)

    @property
    def webhooks(self) -> AsyncWebhooksResource:
        return AsyncWebhooksResource(self._transport)

    async def me(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Me:
        """Read the account that this token acts for."""
        return await self._send(
            Call(
                operation="readMe",
                verb="GET",
                path="/me",
            ),
            options,
        )

    async def get_transparency(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> types.Transparency:
        """Count the reports and the operators' acts by month.

        Open to everybody. The last 24 months (UTC) with a count, newest first. No count names
        anybody.
        """
        return await self._send(
            Call(
                operation="readTransparency",
                verb="GET",
                path="/transparency",
                open=True,
            ),
            options,
        )
