import type { Transaction } from "../../db/client.ts";
import { type SQL, sql } from "../../db/drizzle.ts";
import { lockOrder } from "../../db/ledger.ts";
import type { Party } from "../../protocol/settlement/vocabulary.ts";
import { removeMessageUses } from "../../trade/files/file-use.ts";
import { issueMissingInvoice } from "../../trade/invoices/invoice.ts";
import { type ErasureStep, eachBatch, idsIn } from "./erasure-steps.ts";

/**
 * Erases the words of the account in its orders, and its files. A transaction locks one order, as every writer of facts and
 * messages does.
 */
export const orderSteps: ErasureStep[] = [
  eachBatch(sql`earnest."order"`, (id) => sql`buyer_account_id = ${id}`, eraseBought, 1),
  eachBatch(sql`earnest."order"`, (id) => sql`provider_account_id = ${id}`, eraseSold, 1),
  eachBatch(sql`earnest.order_message`, (id) => sql`author_account_id = ${id}`, eraseMessage, 1),
  eachBatch(
    sql`earnest.review`,
    (id) => sql`buyer_account_id = ${id}`,
    async (tx, ids) => {
      await tx.execute(sql`
      update earnest.review set rating = null, text = null, answer = null, answered_at = null,
        withdrawn_at = coalesce(withdrawn_at, now())
      where id = ${idsIn(ids)}`);
    },
  ),
  eachBatch(
    sql`earnest.review`,
    (id) => sql`provider_account_id = ${id}`,
    async (tx, ids) => {
      await tx.execute(sql`
      update earnest.review set answer = null, answered_at = null where id = ${idsIn(ids)} and answer is not null`);
    },
  ),
  eachBatch(
    sql`earnest.file`,
    (id) => sql`account_id = ${id}`,
    (tx, ids, id) => eraseFiles(tx, sql`id = ${idsIn(ids)}`, id),
  ),
];

/** Erases what a buyer wrote and bought. The titles of stages and the names are the provider's. */
async function eraseBought(tx: Transaction, [orderId = ""]: string[], accountId: string): Promise<void> {
  await eraseSide(tx, orderId, accountId, "buyer");
  await tx.execute(sql`
    update earnest."order" set input_payload = null, output_payload = null where id = ${orderId}`);
  await tx.execute(sql`update earnest.stage_output set output = null where order_id = ${orderId}`);
  await tx.execute(sql`update earnest.feedback_file set content = '' where order_id = ${orderId}`);
  // Files of a provider whose account is erased were kept for this buyer.
  await eraseFiles(
    tx,
    sql`id in (select file_id from earnest.file_use where order_id = ${orderId} and purpose = 'output')
      and (exists (
          select from earnest.account
          where account.id = file.account_id and account.erased_at > file.created_at)
        or ${isRunning(sql`file.account_id`)})`,
    accountId,
  );
}

/** Erases what a provider wrote. The output belongs to the buyer. */
async function eraseSold(tx: Transaction, [orderId = ""]: string[], accountId: string): Promise<void> {
  await eraseSide(tx, orderId, accountId, "provider");
  await tx.execute(sql`
    update earnest."order" set agent_name = 'erased', agent_slug = 'erased', service_title = 'erased',
      service_slug = 'erased', erased_at = coalesce(erased_at, now()), input_schema = null, output_schema = null,
      stages = earnest.erase_words(stages, false), agreement = earnest.erase_words(agreement, true)
    where id = ${orderId}`);
  await tx.execute(sql`update earnest.execution set host = null where order_id = ${orderId}`);
}

async function eraseSide(tx: Transaction, orderId: string, accountId: string, side: Party): Promise<void> {
  const row = await lockOrder(tx, orderId);
  if (row) await issueMissingInvoice(tx, row);
  const isOwn = (type: SQL, actor: SQL) =>
    side === "buyer"
      ? sql`(${actor} = 'buyer' and ${type} <> 'order.created')`
      : sql`(${actor} = 'provider' or ${type} = 'order.created')`;
  await tx.execute(sql`
    update earnest.fact set data = earnest.erase_words(data, true)
    where order_id = ${orderId} and ${isOwn(sql`type`, sql`actor`)} and data <> earnest.erase_words(data, true)`);
  // The step of an event is erased as its fact is. Names of agent and service are the provider's.
  const names =
    side === "buyer"
      ? sql``
      : sql`|| coalesce((
          select jsonb_object_agg(key, earnest.erase_words(value, false)) from jsonb_each(event.data)
          where key in ('order', 'agent')), '{}')`;
  await tx.execute(sql`
    with touched as (
      update earnest.event set data = data ${names} || case
        when ${isOwn(sql`data #>> '{entry,type}'`, sql`data #>> '{entry,actor}'`)}
        then jsonb_build_object('entry', earnest.erase_words(data -> 'entry', true)) else '{}' end
      where account_id <> ${accountId} and id in (
        select event.id from earnest.fact join earnest.event on event.fact_id = fact.id where fact.order_id = ${orderId}
        union all select id from earnest.event where order_id = ${orderId} and fact_id is null)
      returning id)
    update earnest.webhook_attempt set response_body = null
    where delivery_id in (select delivery.id from earnest.webhook_delivery delivery join touched on touched.id = event_id)`);
  // Answers of endpoints may repeat what was sent to them.
  await tx.execute(sql`
    update earnest.execution_attempt set response_body = null, message = null
    where execution_id in (select id from earnest.execution where order_id = ${orderId})`);
  await tx.execute(sql`
    update earnest.payment set identifier = null where order_id = ${orderId} and account_id = ${accountId}`);
}

/** Withdraws a message. The trigger of the table lets its mark stay. */
async function eraseMessage(tx: Transaction, [id = ""]: string[]): Promise<void> {
  const { rows } = await tx.execute<{ orderId: string }>(sql`
    select order_id as "orderId" from earnest.order_message where id = ${id}`);
  const [message] = rows;
  if (!message) return;
  await tx.execute(sql`select from earnest."order" where id = ${message.orderId} for update`);
  const { rows: withdrawn } = await tx.execute<{ files: { file_id: string }[] }>(sql`
    update earnest.order_message set text = null, files = '[]', withdrawn_at = now()
    from (select files as old_files from earnest.order_message where id = ${id}) as before
    where id = ${id} and withdrawn_at is null returning old_files as files`);
  const named = withdrawn.flatMap(({ files }) => files.map(({ file_id }) => file_id));
  await removeMessageUses(tx, message.orderId, named);
}

/**
 * Erases files: the name at once, and the bytes by the rounds of the files. A file that another buyer has bought stays until
 * that buyer's erasure.
 */
async function eraseFiles(tx: Transaction, which: SQL, accountId: string): Promise<void> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select id from earnest.file where ${which} order by id for update`);
  await tx.execute(sql`
    update earnest.file set name = 'erased', erased_at = coalesce(erased_at, now())
    where id = ${idsIn(rows.map(({ id }) => id))} and not exists (
      select from earnest.file_use used
      join earnest."order" bought on bought.id = used.order_id
      join earnest.account buyer on buyer.id = bought.buyer_account_id
      where used.file_id = file.id and used.purpose = 'output' and buyer.id <> ${accountId}
        and coalesce(buyer.erased_at, '-infinity') < bought.created_at and not ${isRunning(sql`buyer.id`)})`);
}

/** Whether another account's erasure is under way: each of the two would take the other for one that stays. */
const isRunning = (accountId: SQL) => sql`exists (
  select from earnest.account_erasure where account_id = ${accountId} and status = 'running')`;
