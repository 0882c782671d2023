import { type SQL, sql } from "../../db/drizzle.ts";
import { addTask } from "../../db/task-queue.ts";
import { type ErasureStep, eachBatch, idsIn, untilDone } from "./erasure-steps.ts";

/** Makes a step that deletes all rows of the account in a table. */
const deletion = (table: SQL): ErasureStep =>
  untilDone(
    (id, rows) =>
      sql`delete from ${table} where id in (select id from ${table} where account_id = ${id} limit ${rows})`,
  );

/** Ends all access to the account: sessions, keys, grants, members, mail. Writes that are under way end within a minute. */
export const accessSteps: ErasureStep[] = [
  deletion(sql`earnest.session`),
  untilDone(
    (id, rows) => sql`
      delete from earnest.oauth_record where (kind, id_hash) in (
        select kind, id_hash from earnest.api_key
        join earnest.oauth_record using (grant_id) where account_id = ${id} limit ${rows})`,
  ),
  eachBatch(
    sql`earnest.api_key`,
    (id) => sql`account_id = ${id}`,
    async (tx, ids) => {
      await tx.execute(sql`
        update earnest.api_key set name = 'erased', revoked_at = coalesce(revoked_at, now()), client_host = null,
          allowed_ips = null, limits = null
        where id = ${idsIn(ids)}`);
    },
  ),
  // A member who is removed must find no second invitation.
  deletion(sql`earnest.organisation_invitation`),
  async (tx, id) => {
    await tx.execute(sql`delete from earnest.organisation_member where account_id = ${id}`);
    await tx.execute(sql`delete from earnest.mail_setting where account_id = ${id}`);
    await tx.execute(sql`delete from earnest.notification_read where account_id = ${id}`);
    await tx.execute(sql`delete from earnest.webhook_sender where account_id = ${id}`);
    return null;
  },
  deletion(sql`earnest.mail_message`),
  eachBatch(
    sql`earnest.webhook_endpoint`,
    (id) => sql`account_id = ${id}`,
    async (tx, ids) => {
      await tx.execute(sql`update earnest.webhook_endpoint set status = 'revoked' where id = ${idsIn(ids)}`);
    },
  ),
];

/** Erases what the account has besides its trade. */
export const ownSteps: ErasureStep[] = [
  // The invoices of all orders are issued.
  async (tx, id) => {
    await tx.execute(sql`delete from earnest.billing_details where account_id = ${id}`);
    return null;
  },
  eachBatch(
    sql`earnest.report`,
    (id) => sql`account_id = ${id}`,
    async (tx, ids) => {
      await tx.execute(sql`update earnest.report set text = 'erased' where id = ${idsIn(ids)}`);
    },
  ),
  // The operator's reason and decision stay.
  eachBatch(
    sql`earnest.moderation`,
    (id) => sql`owner_account_id = ${id}`,
    async (tx, ids) => {
      await tx.execute(sql`
        update earnest.moderation set appeal = 'erased' where id = ${idsIn(ids)} and appeal is not null`);
    },
  ),
  // PostgreSQL deletes the attempts with their delivery.
  untilDone(
    (id, rows) => sql`
      delete from earnest.webhook_delivery where id in (
        select delivery.id from earnest.webhook_endpoint endpoint
        join earnest.webhook_delivery delivery on delivery.endpoint_id = endpoint.id
        where endpoint.account_id = ${id} limit ${rows})`,
  ),
  untilDone(
    (id, rows) => sql`
      delete from earnest.webhook_recovery where id in (
        select recovery.id from earnest.webhook_endpoint endpoint
        join earnest.webhook_recovery recovery on recovery.endpoint_id = endpoint.id
        where endpoint.account_id = ${id} limit ${rows})`,
  ),
  untilDone(
    (id, rows) => sql`
      with removed as (
        delete from earnest.webhook_endpoint where id in (
          select id from earnest.webhook_endpoint where account_id = ${id} limit ${rows})
        returning id, host), hosts as (
        delete from earnest.webhook_host where host in (select host from removed) and not exists (
          select from earnest.webhook_endpoint other
          where other.host = webhook_host.host and other.id not in (select id from removed)))
      select from removed`,
  ),
  // PostgreSQL deletes the marks of notifications with their event.
  deletion(sql`earnest.event`),
  // The acts of a former operator stay: they are the record of the service.
  eachBatch(
    sql`earnest.audit_entry`,
    (id) => sql`account_id = ${id}`,
    async (tx, ids) => {
      await tx.execute(sql`
        update earnest.audit_entry set data = '{}', client_address = null
        where id = ${idsIn(ids)} and action not like 'operator.%'`);
    },
  ),
  // The data belongs to the account that was acted for.
  eachBatch(
    sql`earnest.audit_entry`,
    (id) => sql`actor_account_id = ${id}`,
    async (tx, ids) => {
      await tx.execute(sql`update earnest.audit_entry set client_address = null where id = ${idsIn(ids)}`);
    },
  ),
  // The exporter removes the bytes of old exports with their rows.
  async (tx, id) => {
    const { rowCount } = await tx.execute(sql`
      update earnest.data_export set created_at = 'epoch' where account_id = ${id}`);
    if (rowCount) await addTask(tx, "exports", { key: "exports" });
    return null;
  },
];

/** Empties the row of the account, and makes the account usable again. A ban stays. */
export const lastStep: ErasureStep = async (tx, id) => {
  await tx.execute(sql`
    update earnest.account set username = null, display_name = null, network = null, erased_at = now(), erasing_at = null
    where id = ${id}`);
  return null;
};
