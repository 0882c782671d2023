import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListedOrder, Message, TrailEntry } from "earnest-client";
import { useEffect, useRef } from "react";
import { writableDays } from "../../../protocol/settlement/vocabulary.ts";
import { roleText } from "../disputes/dispute-words.ts";
import { stepText } from "../orders/order-words.ts";
import { Button } from "../parts/button.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { polledList } from "../parts/paging.ts";
import { ProblemNote } from "../parts/problem-note.tsx";
import { Time } from "../parts/time.tsx";
import { UserProse } from "../parts/user-text.tsx";
import { ReportButton } from "../reports/report-button.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";
import { MessageForm } from "./message-form.tsx";
import { messagesQuery } from "./message-queries.ts";
import { threadOf } from "./thread.ts";
import { UnreadBadge } from "./unread-badge.tsx";
import { UploadedFiles } from "./uploaded-files.tsx";

type ThreadOrder = Pick<
  ListedOrder,
  "id" | "status" | "completed_at" | "funding_deadline" | "unread_messages"
>;

/** The messages of an order between the steps of its trail, oldest first, with a form for the next message. */
export function Conversation({
  order,
  trail,
  isArbiter,
}: {
  order: ThreadOrder;
  trail: readonly TrailEntry[];
  isArbiter: boolean;
}) {
  const client = useClient();
  const query = useInfiniteQuery({ ...messagesQuery(client, order.id), ...polledList });
  const messages = (query.data?.pages ?? []).flatMap(({ items }) => items);
  useReadMark(order, messages[0]);
  const isDisputed = order.status === "disputed";
  const mayWrite = isArbiter ? isDisputed : isWritable(order, Date.now());
  return (
    <section className="card" aria-labelledby="messages">
      <h2 id="messages">
        {i18n.t("Messages")} <UnreadBadge count={order.unread_messages} />
      </h2>
      <p className="quiet">
        {isDisputed
          ? i18n.t(
              "Both parties and the arbiter read all messages of this order, also those before the dispute.",
            )
          : i18n.t("Both parties read the messages. If a dispute opens, its arbiter reads all of them.")}
      </p>
      {query.error && <ProblemNote error={query.error} />}
      {query.hasNextPage && (
        <div className="buttons">
          <Button
            size="small"
            isPending={query.isFetchingNextPage}
            onPress={() => void query.fetchNextPage()}
          >
            {i18n.t("Load older messages")}
          </Button>
        </div>
      )}
      {query.data && messages.length === 0 && <p className="quiet">{i18n.t("No messages yet.")}</p>}
      {messages.length > 0 && (
        // New messages are announced, once each.
        <ol className="thread" aria-label={i18n.t("Messages")} aria-live="polite" aria-relevant="additions">
          {threadOf(messages, trail).map((item) =>
            "text" in item ? (
              <MessageItem key={item.id} message={item} canWithdraw={!isDisputed} />
            ) : (
              <li key={item.id} className="thread-step quiet">
                <span>
                  {stepText(item.type, item.data.stage)}, <Time at={item.occurred_at} />
                </span>
              </li>
            ),
          )}
        </ol>
      )}
      {mayWrite && <MessageForm orderId={order.id} />}
    </section>
  );
}

function MessageItem({ message, canWithdraw }: { message: Message; canWithdraw: boolean }) {
  const { id, order_id: orderId, by, is_own: isOwn, created_at, text, files } = message;
  const client = useClient();
  const queries = useQueryClient();
  const withdrawing = useMutation({
    mutationFn: () => client.orders.messages.withdraw(orderId, id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["order", orderId, "messages"] }),
  });
  return (
    <li className="message" data-own={isOwn}>
      <p className="message-head">
        <strong>{isOwn ? i18n.t("You") : roleText(by)}</strong>
        <span className="quiet">
          <Time at={created_at} />
        </span>
      </p>
      {text === null ? (
        <p className="quiet">
          {message.withdrawn_at
            ? i18n.t("This message was withdrawn.")
            : i18n.t("The operator of this service has hidden this message.")}
        </p>
      ) : (
        <UserProse>{text}</UserProse>
      )}
      <UploadedFiles files={files} isOwn={isOwn} />
      {isOwn && text !== null && message.hidden_at && (
        <p className="quiet">{i18n.t("The operator of this service has hidden this message.")}</p>
      )}
      {!isOwn && text !== null && <ReportButton kind="message" id={id} of={text.slice(0, 40)} />}
      {isOwn && text !== null && canWithdraw && (
        <ConfirmButton
          isBare
          label={i18n.t("Withdraw")}
          confirmLabel={i18n.t("Withdraw message permanently")}
          of={text.slice(0, 40)}
          isPending={withdrawing.isPending}
          error={withdrawing.error}
          onPress={() => withdrawing.mutate()}
        />
      )}
    </li>
  );
}

/** Marks the newest message as read, once it shows on a visible page. */
function useReadMark(order: ThreadOrder, newest: Message | undefined): void {
  const client = useClient();
  const queries = useQueryClient();
  const marked = useRef<string | null>(null);
  const id = newest?.id;
  const isUnread = order.unread_messages > 0 || newest?.is_own === false;
  useEffect(() => {
    if (id === undefined || !isUnread) return;
    const mark = () => {
      if (document.visibilityState !== "visible" || marked.current === id) return;
      marked.current = id;
      client.orders.messages
        .markRead(order.id, { up_to: id })
        .then(() => queries.invalidateQueries({ queryKey: ["orders"] }))
        .catch(() => {
          // The next message, or the next visit, marks again.
        });
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [client, queries, order.id, id, isUnread]);
}

function isWritable({ status, completed_at, funding_deadline }: ThreadOrder, now: number): boolean {
  const end = completed_at ?? (status === "expired" ? funding_deadline : null);
  return end === null || now < Date.parse(end) + writableDays * 24 * 3_600_000;
}
